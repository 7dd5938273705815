package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.RecordedCommand;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** Lists the commands of a sandbox with what each of them changed. */
final class LogVerb implements Callable<Integer> {
  private static final int MOST_OF_A_COMMAND = 100;

  private final Session session;
  private String box = "";
  private boolean json;

  private LogVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var log = new LogVerb(session);
    return Description.of(log, "List a sandbox's commands, with what each of them changed.")
        .flag("--json", "Print a JSON array.", () -> log.json = true)
        .parameter("BOX", "The sandbox's id or name.", box -> log.box = box)
        .examples("cove log box", "cove diff box@3..@4", "cove rewind box 3")
        .note(
            "Commands are recorded where a checkpoint is taken before each: 'cove run"
                + " --checkpoint-before-exec on', or 'cove checkpoint rules BOX --before-exec on'.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      List<RecordedCommand> commands = cove.sandboxes().require(box).commands();
      if (commands.isEmpty() && !json) {
        session.note(
            "cove: No command is recorded. 'cove checkpoint rules %s --before-exec on' begins it."
                .formatted(Escapes.visible(box)));
        return ExitCode.OK;
      }
      Listing.print(session, json, commands, RecordedCommand::toJson, LogVerb::table);
    }
    return ExitCode.OK;
  }

  private static Table table(List<RecordedCommand> commands) {
    var table = new Table("NUMBER", "AGE", "EXIT", "CHANGES", "COMMAND");
    Instant now = Instant.now();
    for (RecordedCommand one : commands) {
      table.row(
          Integer.toString(one.number()),
          Human.age(one.startedAt(), now),
          one.exitCode().map(String::valueOf).orElse("-"),
          "+%d ~%d -%d".formatted(one.added(), one.changed(), one.deleted()),
          shown(one.command()));
    }
    return table;
  }

  /** As one line that a shell would read the same way, cut where it is too long. */
  static String shown(List<String> command) {
    String line = command.stream().map(ShellWord::of).collect(Collectors.joining(" "));
    String visible = Escapes.visible(line);
    return visible.length() <= MOST_OF_A_COMMAND
        ? visible
        : visible.substring(0, MOST_OF_A_COMMAND - 3) + "...";
  }
}
