package dev.cove.cli;

import dev.cove.review.text.UnifiedDiff;
import dev.cove.sdk.Change;
import dev.cove.sdk.Cove;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Shows what a sandbox changed in its projects. */
final class DiffVerb implements Callable<Integer> {
  private final Session session;
  private List<String> words = List.of();
  private boolean stat;
  private boolean namesOnly;
  private boolean json;
  private Optional<String> patch = Optional.empty();

  private DiffVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var diff = new DiffVerb(session);
    return Description.of(
            diff, "Show what a sandbox changed in its project; nothing of it is on the host yet.")
        .flag("--stat", "How many lines of each file came and went.", () -> diff.stat = true)
        .flag("--name-only", "Print paths only.", () -> diff.namesOnly = true)
        .flag("--json", "Print a JSON array.", () -> diff.json = true)
        .text(
            "--patch",
            "FILE",
            "Write a patch that git apply and patch read, byte for byte; - is our output.",
            file -> diff.patch = Optional.of(file))
        .parameters("0..*", ReviewTarget.LABEL, ReviewTarget.ABOUT, words -> diff.words = words)
        .synopsis(
            "cove diff [--stat|--name-only|--json|--patch FILE] [BOX] [PATH]...",
            "cove diff BOX@N..[@M] [PATH]...")
        .examples(
            "cove diff",
            "cove diff box src/ README.md",
            "cove diff box@3..@5    (what commands 3 and 4 did; see 'cove log box')",
            "cove diff --patch changes.patch box")
        .note(
            "A is added, M changed, D deleted, R renamed, P of other permissions, T of another"
                + " type; ! marks what deserves a second look, which comes first.")
        .note("On a terminal what is longer than the screen is shown by $PAGER, or less -R.")
        .build();
  }

  @Override
  public Integer call() {
    if ((stat ? 1 : 0) + (namesOnly ? 1 : 0) + (json ? 1 : 0) + (patch.isPresent() ? 1 : 0) > 1) {
      throw new Misuse("Say one of --stat, --name-only, --json and --patch");
    }
    try (Cove cove = session.connect()) {
      ReviewTarget target = ReviewTarget.find(cove, words);
      ReviewedChanges changes = ReviewedChanges.of(target);
      show(target, changes);
      if (changes.truncated()) {
        session.note(
            "cove: The sandbox has changed more than can be listed, and what is not listed may be"
                + " dangerous. Nothing can be applied until some of it is removed in the sandbox.");
      } else if (changes.all().size() < changes.total()) {
        session.note(
            "cove: There are %d changes; the first %d are listed."
                .formatted(changes.total(), changes.all().size()));
      }
    }
    return ExitCode.OK;
  }

  private void show(ReviewTarget target, ReviewedChanges changes) {
    if (patch.isPresent()) {
      OutputFile.write(session, patch.get(), changes.patch());
    } else if (json) {
      session.println(JsonLines.array(changes.all(), Change::toJson));
    } else if (changes.all().isEmpty()) {
      session.note(nothing(target));
    } else {
      var summary = new ChangeSummary(session.colours(), target.parts().size() > 1);
      String text = namesOnly ? names(changes, summary) : heading(changes) + body(changes, summary);
      new Pager(session).show(text);
    }
  }

  private static String nothing(ReviewTarget target) {
    return "cove: %s has changed nothing %s."
        .formatted(target.box(), target.isNarrowed() ? "there" : "in its project");
  }

  private static String names(ReviewedChanges changes, ChangeSummary summary) {
    var text = new StringBuilder();
    changes.all().forEach(change -> text.append(summary.path(change)).append('\n'));
    return text.toString();
  }

  private String heading(ReviewedChanges changes) {
    return Paint.BOLD.on(ChangeSummary.count(changes), session.colours()) + "\n";
  }

  private String body(ReviewedChanges changes, ChangeSummary summary) {
    if (stat) {
      return stat(changes, summary);
    }
    String list = String.join("\n", summary.lines(changes.all())) + "\n";
    String patchText = new PatchText(session.colours()).show(changes.patch());
    return patchText.isEmpty() ? list : list + "\n" + patchText;
  }

  private String stat(ReviewedChanges changes, ChangeSummary summary) {
    int width =
        changes.all().stream().mapToInt(change -> summary.name(change).length()).max().orElse(0);
    var text = new StringBuilder();
    int added = 0;
    int removed = 0;
    for (Change change : changes.all()) {
      String name = summary.name(change);
      text.append(change.dangers().isEmpty() ? "  " : "! ").append(name);
      text.append(" ".repeat(width - name.length())).append("  ");
      switch (changes.versions(change)) {
        case ReviewedChanges.Versions.Text(var before, var after) -> {
          UnifiedDiff.Stat lines = UnifiedDiff.stat(before, after);
          added += lines.added();
          removed += lines.removed();
          text.append(Paint.GREEN.on("+" + lines.added(), session.colours())).append(' ');
          text.append(Paint.RED.on("-" + lines.removed(), session.colours()));
        }
        case ReviewedChanges.Versions.Unreadable(var why) ->
            text.append(ChangeSummary.size(change)).append(", ").append(why);
      }
      text.append('\n');
    }
    return text.append(
            "%s added, %s removed\n"
                .formatted(Human.count(added, "line"), Human.count(removed, "line")))
        .toString();
  }
}
