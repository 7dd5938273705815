package dev.cove.cli;

import dev.cove.sdk.ServerAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Env implements Callable<Integer> {
  private final Session session;

  private Env(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    return Description.of(
            new Env(session), "Print shell lines that make other programs use this server.")
        .examples("eval \"$(cove env)\"")
        .build();
  }

  @Override
  public Integer call() {
    ServerAddress address = session.requireAddress();
    session.println(
        "export COVE_URL="
            + ShellWord.of(address.url().toString())
            + " COVE_API_KEY="
            + ShellWord.of(address.apiKey()));
    return ExitCode.OK;
  }
}
