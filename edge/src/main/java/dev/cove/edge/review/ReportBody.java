package dev.cove.edge.review;

import dev.cove.node.NodeWorkspaces.Report;
import dev.cove.review.apply.ApplyPlan;
import dev.cove.review.tree.TreePath;
import java.util.List;
import java.util.Optional;

/**
 * What came of an apply; with conflicts it is also a problem document.
 *
 * @param apply its id, where something was done
 */
record ReportBody(
    Optional<String> type,
    Optional<String> title,
    Optional<Integer> status,
    Optional<String> detail,
    Optional<String> code,
    Optional<String> apply,
    List<String> applied,
    List<String> unchanged,
    List<NoteBody> skipped,
    List<NoteBody> conflicts) {
  static final int CONFLICT = 409;

  /** A path, and what is to be said about it. */
  record NoteBody(String path, String reason) {
    static NoteBody of(ApplyPlan.Note note) {
      return new NoteBody(note.path().shown(), note.reason());
    }
  }

  static ReportBody of(Report report) {
    boolean failed = !report.conflicts().isEmpty();
    return new ReportBody(
        Optional.of("about:blank").filter(_ -> failed),
        Optional.of("Conflict").filter(_ -> failed),
        Optional.of(CONFLICT).filter(_ -> failed),
        Optional.of(detail(report)).filter(_ -> failed),
        Optional.of("conflict").filter(_ -> failed),
        report.id(),
        report.applied().stream().map(TreePath::shown).toList(),
        report.unchanged().stream().map(TreePath::shown).toList(),
        report.skipped().stream().map(NoteBody::of).toList(),
        report.conflicts().stream().map(NoteBody::of).toList());
  }

  private static String detail(Report report) {
    return "%d paths are in conflict, and nothing was changed.".formatted(report.conflicts().size())
        + " Look at them, and decide with onConflict or contents";
  }
}
