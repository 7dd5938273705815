package dev.cove.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(name = "version", description = "Show the version.")
final class Version implements Callable<Integer> {
  private final Session session;

  Version(Session session) {
    this.session = session;
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
