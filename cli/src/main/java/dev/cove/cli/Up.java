package dev.cove.cli;

import dev.cove.sdk.LocalServer;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "up",
    description = "Start the local server in the background, and print its URL once it is healthy.",
    footer = {
      "",
      "Does nothing but print the URL if it runs already. Its log is server.log in the data folder.",
      "",
      "Example: COVE_HOME=/tmp/cove cove up --port 7171",
    })
final class Up implements Callable<Integer> {
  private final Session session;

  @Option(names = "--port", paramLabel = "N", description = "The port on 127.0.0.1; default 7070.")
  private Optional<Integer> port = Optional.empty();

  Up(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    OptionalInt wanted = port.map(OptionalInt::of).orElse(OptionalInt.empty());
    if (wanted.isPresent() && (wanted.getAsInt() < 0 || wanted.getAsInt() > 65_535)) {
      throw new UserError("A port is between 0 (any that is free) and 65535");
    }
    LocalServer server = new LocalStart(session).ensureUp(wanted);
    boolean other = wanted.isPresent() && wanted.getAsInt() != 0;
    if (other && server.url().getPort() != wanted.getAsInt()) {
      throw new UserError(
          "The server runs already, at "
              + server.url()
              + ". Stop it with 'cove down', or give the other one its own COVE_HOME");
    }
    session.println(server.url().toString());
    return ExitCode.OK;
  }
}
