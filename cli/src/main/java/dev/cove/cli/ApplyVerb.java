package dev.cove.cli;

import dev.cove.sdk.Change;
import dev.cove.sdk.Cove;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Takes what a sandbox changed: into the project, or as a patch, a branch or staged. */
final class ApplyVerb implements Callable<Integer> {
  private final Session session;
  private List<String> words = List.of();
  private boolean all;
  private List<String> hunks = List.of();
  private boolean ours;
  private boolean theirs;
  private boolean markers;
  private boolean dryRun;
  private boolean recover;
  private boolean json;
  private Optional<String> patch = Optional.empty();
  private final GitFlags git = new GitFlags();

  private ApplyVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var apply = new ApplyVerb(session);
    return Description.of(
            apply, "Take what a sandbox changed into the project: all of it, or nothing.")
        .flag("--all", "Also what is marked as deserving a second look.", () -> apply.all = true)
        .texts(
            "--hunks",
            "PATH:N,N",
            "Only these hunks of a file, numbered as 'cove diff' shows them; may be given often.",
            v -> apply.hunks = v)
        .flag("--ours", "In a conflict keep the project's version.", () -> apply.ours = true)
        .flag("--theirs", "In a conflict take the sandbox's version.", () -> apply.theirs = true)
        .flag(
            "--markers",
            "In a conflict write both, between markers as git has them.",
            () -> apply.markers = true)
        .flag("--dry-run", "Only say what would happen.", () -> apply.dryRun = true)
        .flag(
            "--recover",
            "End an apply that was cut short; the server does so by itself when it starts.",
            () -> apply.recover = true)
        .text(
            "--patch",
            "FILE",
            "Write a patch instead; - is our output.",
            file -> apply.patch = Optional.of(file))
        .with(apply.git::describe)
        .flag("--json", "Print what happened as JSON.", () -> apply.json = true)
        .parameters("0..*", ReviewTarget.LABEL, ReviewTarget.ABOUT, words -> apply.words = words)
        .synopsis(
            "cove apply [--all] [--hunks PATH:N,N]... [--ours|--theirs|--markers] [--dry-run]"
                + " [BOX] [PATH]...",
            "cove apply --patch FILE [BOX] [PATH]...",
            "cove apply --branch NAME|--worktree FOLDER|--staged [--author A] [--message M] [BOX]"
                + " [PATH]...",
            "cove apply --recover [BOX]")
        .examples(
            "cove apply",
            "cove apply box src/ --dry-run",
            "cove apply --hunks src/main.c:1,3 box",
            "cove apply --branch agent/fix-login box",
            "cove undo    (takes it back)")
        .note(
            "A file that changed on the host as well is merged where the lines do not meet; else it"
                + " is a conflict, and nothing at all is changed unless you say what to do then.")
        .build();
  }

  @Override
  public Integer call() {
    requireSense();
    try (Cove cove = session.connect()) {
      ReviewTarget target = ReviewTarget.find(cove, words);
      if (target.between().isPresent()) {
        throw new Misuse("Only 'cove diff' knows BOX@N..@M");
      }
      if (recover) {
        return new Applying(session, target, json).recover();
      }
      ReviewedChanges changes = ReviewedChanges.of(target);
      if (patch.isPresent()) {
        OutputFile.write(session, patch.get(), changes.patch());
        return ExitCode.OK;
      }
      if (git.isWanted()) {
        return new GitOutput(session, target, git, theirs).write(changes);
      }
      requireSecondLook(target, changes);
      return new Applying(session, target, json).apply(changes, hunks, onConflict(), dryRun);
    }
  }

  private void requireSense() {
    if (Stream.of(ours, theirs, markers).filter(said -> said).count() > 1) {
      throw new Misuse("Say one of --ours, --theirs and --markers");
    }
    boolean elsewhere = patch.isPresent() || git.isWanted();
    if (elsewhere && (!hunks.isEmpty() || dryRun || ours || markers || json)) {
      throw new Misuse(
          "--hunks, --dry-run, --ours, --markers and --json are for the project itself");
    }
    if ((patch.isPresent() && git.isWanted()) || (recover && elsewhere)) {
      throw new Misuse("Say one of --patch, --branch or --worktree, --staged and --recover");
    }
    if (!hunks.isEmpty() && all) {
      throw new Misuse("Say either --all or --hunks, not both");
    }
    git.requireSense();
  }

  private String onConflict() {
    return ours ? "ours" : theirs ? "theirs" : markers ? "markers" : "stop";
  }

  /** Whoever names nothing may not have seen what is marked. */
  private void requireSecondLook(ReviewTarget target, ReviewedChanges changes) {
    if (all || dryRun || target.isNarrowed() || !hunks.isEmpty()) {
      return;
    }
    List<Change> marked =
        changes.all().stream().filter(change -> !change.dangers().isEmpty()).toList();
    if (!marked.isEmpty()) {
      new ChangeSummary(false, target.parts().size() > 1).lines(marked).forEach(session::note);
      throw new UserError(
          ("%s a second look, and nothing was applied. Take everything with 'cove apply --all %s',"
                  + " choose with 'cove review %s', or name paths")
              .formatted(
                  marked.size() == 1 ? "This one deserves" : "These deserve",
                  target.box(),
                  target.box()));
    }
  }
}
