package dev.cove.node.workspace;

import dev.cove.model.Workspace;
import dev.cove.node.NodeWorkspaces.Chosen;
import dev.cove.node.NodeWorkspaces.Report;
import dev.cove.node.NodeWorkspaces.Wish;
import dev.cove.review.apply.ApplyPlan;
import dev.cove.review.apply.ApplyPlan.Note;
import dev.cove.review.apply.ApplySession;
import dev.cove.review.apply.ApplySession.Outcome;
import dev.cove.review.apply.Base;
import dev.cove.review.apply.Proposal;
import dev.cove.review.apply.Step;
import dev.cove.review.apply.Version;
import dev.cove.review.change.Change;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Takes changes of one sandbox over into one folder of the host. */
final class Applying {
  private static final int USUAL_PERMISSIONS = 0644;

  private final Workspace workspace;
  private final Reading reading;
  private final Journals journals;
  private final Wish wish;
  private final Map<TreePath, Proposal> proposals = new TreeMap<>();
  private final List<Note> skipped = new ArrayList<>();
  private final List<Note> contested = new ArrayList<>();

  Applying(Workspace workspace, Reading reading, Journals journals, Wish wish) {
    this.workspace = workspace;
    this.reading = reading;
    this.journals = journals;
    this.wish = wish;
  }

  Report apply() throws IOException {
    propose();
    try (ApplySession session = journals.open(Path.of(workspace.path()))) {
      ApplyPlan plan = session.plan(List.copyOf(proposals.values()), wish.resolution());
      skipped.addAll(plan.skipped());
      contested.addAll(plan.contested());
      List<TreePath> steps = plan.steps().stream().map(Step::path).distinct().sorted().toList();
      if (!contested.isEmpty()) {
        return new Report(Optional.empty(), List.of(), plan.unchanged(), skipped, contested);
      }
      if (wish.rehearsal()) {
        return new Report(Optional.empty(), steps, plan.unchanged(), skipped, contested);
      }
      keepBases();
      return settle(session.apply(plan), plan);
    }
  }

  /** While the host still has them: an undo makes them the bases again. */
  private void keepBases() throws IOException {
    var known = new TreeMap<TreePath, Base>();
    for (Proposal proposal : proposals.values()) {
      if (proposal.base() instanceof Base.Known base) {
        known.put(proposal.path(), base);
      }
    }
    reading.bases().keep(known);
  }

  private Report settle(Outcome outcome, ApplyPlan plan) throws IOException {
    return switch (outcome) {
      case Outcome.Applied(var id, var _, var paths) -> {
        moveBases(id, plan);
        yield new Report(
            Optional.of(id).filter(text -> !text.isEmpty()),
            paths.stream().sorted().toList(),
            plan.unchanged(),
            skipped,
            List.of());
      }
      case Outcome.TakenBack(var leftAlone) ->
          new Report(
              Optional.empty(),
              List.of(),
              plan.unchanged(),
              skipped,
              leftAlone.stream()
                  .map(path -> new Note(path, "somebody changed it at this very moment"))
                  .toList());
    };
  }

  /** What somebody has decided about is settled: from here on it is what later changes are from. */
  private void moveBases(String id, ApplyPlan plan) throws IOException {
    var now = new TreeMap<TreePath, Version>();
    var then = new TreeMap<TreePath, Base>();
    for (Proposal proposal : proposals.values()) {
      boolean out = plan.skipped().stream().anyMatch(note -> note.path().equals(proposal.path()));
      if (!out) {
        now.put(proposal.path(), proposal.sandbox());
        then.put(proposal.path(), reading.bases().find(proposal.path()).orElse(new Base.Unknown()));
      }
    }
    if (!now.isEmpty()) {
      reading.bases().applied(id.isEmpty() ? "none" : id, now, then);
    }
  }

  private void propose() throws IOException {
    List<TreePath> wanted = new ArrayList<>(wish.below());
    wanted.addAll(wish.chosen().keySet());
    for (Change change : reading.changes(wanted)) {
      Version sandbox = reading.sandbox().version(change.path());
      if (isLarge(change.before()) || isLarge(change.after())) {
        skipped.add(new Note(change.path(), "it is, or was, larger than 1 GiB"));
      } else if (change.from().isPresent()) {
        propose(change.from().get(), reading.base(change), new Version.Absent());
        propose(change.path(), baseOfTarget(change), sandbox);
      } else {
        propose(change.path(), reading.base(change), sandbox);
      }
    }
    for (Map.Entry<TreePath, Chosen> chosen : wish.chosen().entrySet()) {
      choose(chosen.getKey(), chosen.getValue());
    }
  }

  private Base baseOfTarget(Change renamed) {
    return reading.bases().find(renamed.path()).orElse(new Base.Known(new Version.Absent()));
  }

  private static boolean isLarge(Optional<Entry> entry) {
    return entry
        .filter(one -> one.kind() == Entry.Kind.FILE)
        .filter(one -> one.size() > Version.LARGEST_READ)
        .isPresent();
  }

  private void propose(TreePath path, Base base, Version sandbox) {
    if (reading.hidden().test(path) && !isAbsent(path)) {
      skipped.add(new Note(path, "the host's own is hidden from the sandbox, and stays"));
    } else {
      proposals.put(path, new Proposal(path, base, sandbox));
    }
  }

  /** A look at its name alone: what is hidden is not read. */
  private boolean isAbsent(TreePath path) {
    return reading.host().isAbsent(path);
  }

  /**
   * Made of one version of the sandbox's file; where that is another by now, somebody must look.
   */
  private void choose(TreePath path, Chosen chosen) throws IOException {
    Proposal made = proposals.get(path);
    if (made == null) {
      contested.add(
          new Note(path, "the sandbox has not changed it, or its change cannot be taken"));
      return;
    }
    String digest = made.sandbox() instanceof Version.File file ? file.content().digest() : "";
    if (!digest.equals(chosen.sandboxDigest())) {
      contested.add(new Note(path, "the sandbox has changed it again since it was looked at"));
      return;
    }
    int permissions =
        made.sandbox() instanceof Version.File file
            ? file.permissions()
            : made.base() instanceof Base.Known(Version.File(var _, var before))
                ? before
                : USUAL_PERMISSIONS;
    var content = new Version.File(chosen.content(), permissions);
    proposals.put(path, new Proposal(path, made.base(), content));
  }
}
