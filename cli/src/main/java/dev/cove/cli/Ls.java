package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.SandboxInfo;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "ls",
    description = "List sandboxes.",
    footer = {"", "Example: cove ls --label team=web --json"})
final class Ls implements Callable<Integer> {
  private final Session session;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "Only those with this label; may be given often.")
  private Map<String, String> labels = Map.of();

  @Option(
      names = {"-q", "--quiet"},
      description = "Print ids only.")
  private boolean quiet;

  @Option(names = "--json", description = "Print a JSON array.")
  private boolean json;

  Ls(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      print(cove.sandboxes().list(labels));
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
    var table = new Table("ID", "NAME", "STATE", "TEMPLATE", "CPUS", "MEMORY", "AGE", "LABELS");
    Instant now = Instant.now();
    for (SandboxInfo box : boxes) {
      table.row(
          box.id(),
          box.name(),
          box.reason().map(why -> box.state() + " (" + why + ")").orElse(box.state()),
          box.template(),
          Human.number(box.cpus()),
          Human.megabytes(box.memoryMb()),
          Human.age(box.createdAt(), now),
          labels(box));
    }
    return table;
  }

  private static String labels(SandboxInfo box) {
    return new TreeMap<>(box.labels())
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(","));
  }
}
