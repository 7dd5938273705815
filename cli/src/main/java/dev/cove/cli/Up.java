package dev.cove.cli;

import dev.cove.sdk.LocalServer;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Up implements Callable<Integer> {
  private final Session session;

  private OptionalInt port = OptionalInt.empty();

  private Up(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var up = new Up(session);
    return Description.of(
            up, "Start the local server in the background, and print its URL once it is healthy.")
        .value(
            "--port",
            "N",
            "The port on 127.0.0.1; default 7070, 0 for any that is free.",
            Integer::valueOf,
            Integer.class,
            port -> up.port = OptionalInt.of(port))
        .note(
            "Does nothing but print the URL if it runs already. Its log is server.log in the data"
                + " folder.")
        .examples("COVE_HOME=/tmp/cove cove up --port 7171")
        .build();
  }

  @Override
  public Integer call() {
    if (port.isPresent() && (port.getAsInt() < 0 || port.getAsInt() > 65_535)) {
      throw new UserError("A port is between 0 (any that is free) and 65535");
    }
    LocalServer server = new LocalStart(session).ensureUp(port);
    boolean other = port.isPresent() && port.getAsInt() != 0;
    if (other && server.url().getPort() != port.getAsInt()) {
      throw new UserError(
          "The server runs already, at "
              + server.url()
              + ". Stop it with 'cove down', or give the other one its own COVE_HOME");
    }
    session.println(server.url().toString());
    return ExitCode.OK;
  }
}
