package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.SandboxInfo;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

final class Ls implements Callable<Integer> {
  private final Session session;

  private Map<String, String> labels = Map.of();

  private final ProjectFlag where = new ProjectFlag();

  private boolean deleted;

  private boolean quiet;

  private boolean json;

  private Ls(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var ls = new Ls(session);
    return Description.of(ls, "List sandboxes.")
        .pairs(
            "--label",
            "Only those with this label; may be given often.",
            labels -> ls.labels = labels)
        .with(ls.where::describeList)
        .flag(
            "--deleted",
            "Those that are deleted and kept; 'cove undelete' takes them back.",
            () -> ls.deleted = true)
        .flag("-q --quiet", "Print ids only.", () -> ls.quiet = true)
        .flag("--json", "Print a JSON array.", () -> ls.json = true)
        .examples("cove ls --label team=web --json")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = where.of(session).connect()) {
      if (deleted && !labels.isEmpty()) {
        throw new Misuse("Give --deleted or --label, not both");
      }
      print(deleted ? cove.sandboxes().listDeleted() : cove.sandboxes().list(labels));
    }
    return ExitCode.OK;
  }

  private void print(List<SandboxInfo> boxes) {
    if (json) {
      session.println(JsonLines.array(boxes, SandboxInfo::toJson));
    } else if (quiet) {
      boxes.forEach(box -> session.println(box.id()));
    } else {
      table(boxes).print(session.printer(), session.colours());
    }
  }

  private static Table table(List<SandboxInfo> boxes) {
    var table =
        new Table("ID", "NAME", "PROJECT", "STATE", "TEMPLATE", "CPUS", "MEMORY", "AGE", "LABELS");
    Instant now = Instant.now();
    for (SandboxInfo box : boxes) {
      table.row(
          box.id(),
          box.name(),
          box.project(),
          state(box),
          box.template(),
          Human.number(box.cpus()),
          Human.megabytes(box.memoryMb()),
          Human.age(box.createdAt(), now),
          labels(box));
    }
    return table;
  }

  static String state(SandboxInfo box) {
    if (box.keptUntil().isPresent()) {
      return box.state() + ", kept for " + Human.age(Instant.now(), box.keptUntil().get());
    }
    return box.reason().map(why -> box.state() + " (" + why + ")").orElse(box.state());
  }

  private static String labels(SandboxInfo box) {
    return new TreeMap<>(box.labels())
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(","));
  }
}
