package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.ExitStatus;
import dev.cove.sdk.ProcessInfo;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Ps implements Callable<Integer> {
  private final Session session;

  private boolean json;

  private String box = "";

  private Ps(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var ps = new Ps(session);
    return Description.of(ps, "List the commands that were started in a sandbox.")
        .flag("--json", "Print a JSON array.", () -> ps.json = true)
        .parameter("BOX", "The sandbox's id or name.", box -> ps.box = box)
        .examples("cove ps --json box")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      List<ProcessInfo> processes = cove.sandboxes().require(box).processes();
      Listing.print(session, json, processes, ProcessInfo::toJson, Ps::table);
    }
    return ExitCode.OK;
  }

  private static Table table(List<ProcessInfo> processes) {
    var table = new Table("PROCESS", "PID", "USER", "STATE", "AGE", "COMMAND");
    Instant now = Instant.now();
    for (ProcessInfo process : processes) {
      table.row(
          Long.toString(process.processId()),
          Long.toString(process.pid()),
          process.user(),
          process.exit().map(Ps::ending).orElse("running"),
          Human.age(process.startedAt(), now),
          String.join(" ", process.command()));
    }
    return table;
  }

  private static String ending(ExitStatus exit) {
    return exit.signal().orElse("exit " + exit.exitCode());
  }
}
