package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.SystemInfo;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Shows how the parts of the server are. */
final class ServerStatus implements Callable<Integer> {
  private final Session session;

  private boolean json;

  private ServerStatus(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var status = new ServerStatus(session);
    return Description.of(status, "Show how the parts of the server are.")
        .flag("--json", "Print it as JSON.", () -> status.json = true)
        .note("Fails when a part is not well. It recovers by itself when the cause has gone.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      SystemInfo system = cove.system();
      if (json) {
        session.println(system.toJson());
      } else {
        print(system);
      }
      return system.ready() ? ExitCode.OK : ExitCode.FAILED;
    }
  }

  private void print(SystemInfo system) {
    var table = new Table("PART", "STATUS", "DETAIL");
    for (SystemInfo.Part part : system.parts()) {
      table.row(part.name(), part.well() ? "ok" : "failing", part.detail());
    }
    table.print(session.printer(), session.colours());
    session.println(
        "Cove %s, %d of %d sandboxes, %s of memory free"
            .formatted(
                system.version(),
                system.sandboxes(),
                system.maxSandboxes(),
                Human.bytes(system.memoryAvailableBytes())));
  }
}
