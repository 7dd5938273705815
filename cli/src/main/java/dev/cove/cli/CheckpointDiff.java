package dev.cove.cli;

import dev.cove.sdk.Checkpoints;
import dev.cove.sdk.Cove;
import dev.cove.sdk.Difference;
import dev.cove.sdk.FileChange;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Says how a checkpoint's files became those of another, or those that its sandbox has now. */
final class CheckpointDiff implements Callable<Integer> {
  private static final int MOST = 100_000;

  private final Session session;
  private final Checkpoint above;
  private String from = "";
  private Optional<String> to = Optional.empty();
  private Optional<String> box = Optional.empty();
  private boolean namesOnly;
  private boolean json;

  private CheckpointDiff(Session session, Checkpoint above) {
    this.session = session;
    this.above = above;
  }

  static CommandSpec describe(Session session, Checkpoint above) {
    var diff = new CheckpointDiff(session, above);
    return Description.of(diff, "Show what changed since a checkpoint, file by file.")
        .text(
            "--box",
            "BOX",
            "Compare with this sandbox as it is now rather than with the checkpoint's own.",
            v -> diff.box = Optional.of(v))
        .flag("--name-only", "Print paths only.", () -> diff.namesOnly = true)
        .flag("--json", "Print a JSON array.", () -> diff.json = true)
        .parameter("FROM", "A checkpoint, as 'cove checkpoint ls' shows it.", v -> diff.from = v)
        .optionalParameter(
            "TO",
            "Another; default: what the first one's sandbox has now.",
            v -> diff.to = Optional.of(v))
        .examples(
            "cove checkpoint diff c0123456789abcdefghi",
            "cove checkpoint diff --name-only c0123456789abcdefghi cihgfedcba9876543210")
        .note("A is added, D deleted, M changed, T of another type; times are not compared.")
        .build();
  }

  @Override
  public Integer call() {
    above.requireNothingBeforeVerb();
    if (to.isPresent() && box.isPresent()) {
      throw new Misuse("Say either a second checkpoint or --box, not both");
    }
    try (Cove cove = session.connect()) {
      print(diff(cove.checkpoints()));
    }
    return ExitCode.OK;
  }

  private Difference diff(Checkpoints checkpoints) {
    if (to.isPresent()) {
      return checkpoints.diff(from, to.get(), MOST);
    }
    String now = box.orElseGet(() -> checkpoints.require(from).sandboxId());
    return checkpoints.diffWithSandbox(from, now, MOST);
  }

  private void print(Difference difference) {
    if (json) {
      session.println(JsonLines.array(difference.items(), FileChange::toJson));
    } else {
      difference.items().forEach(change -> session.println(line(change)));
    }
    if (difference.truncated()) {
      session.note("cove: There are more than " + MOST + " changes; the rest is not shown.");
    }
  }

  private String line(FileChange change) {
    String path = Table.printable(change.path());
    return namesOnly ? path : letter(change) + " " + path + details(change);
  }

  private static String letter(FileChange change) {
    return switch (change.kind()) {
      case "added" -> "A";
      case "deleted" -> "D";
      case "changed" -> "M";
      case "type-changed" -> "T";
      default -> "?";
    };
  }

  /** What cannot be seen from the letter: rights and owners. */
  private static String details(FileChange change) {
    if (change.before().isEmpty() || change.after().isEmpty()) {
      return "";
    }
    FileChange.State before = change.before().get();
    FileChange.State after = change.after().get();
    var text = new StringBuilder();
    if (before.type() != after.type()) {
      text.append("  %s -> %s".formatted(before.type(), after.type()).toLowerCase(Locale.ROOT));
    }
    if (!before.mode().equals(after.mode())) {
      text.append("  mode %s -> %s".formatted(before.mode(), after.mode()));
    }
    if (before.uid() != after.uid() || before.gid() != after.gid()) {
      text.append(
          "  owner %d:%d -> %d:%d".formatted(before.uid(), before.gid(), after.uid(), after.gid()));
    }
    return text.toString();
  }
}
