package dev.cove.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Version implements Callable<Integer> {
  private final Session session;

  private Version(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    return Description.of(new Version(session), "Show the version.").build();
  }

  @Override
  public Integer call() {
    session.println("cove " + current());
    return ExitCode.OK;
  }

  /** From the jar's manifest. */
  static String current() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
