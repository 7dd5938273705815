package dev.cove.node.workspace;

import dev.cove.model.Workspace;
import dev.cove.node.NodeWorkspaces.Report;
import dev.cove.review.apply.ApplyPlan.Note;
import dev.cove.review.apply.ApplySession;
import dev.cove.review.apply.ApplySession.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Takes back what was applied, or ends what was cut short. */
final class Undoing {
  private final Workspace workspace;
  private final Reading reading;
  private final Journals journals;

  Undoing(Workspace workspace, Reading reading, Journals journals) {
    this.workspace = workspace;
    this.reading = reading;
    this.journals = journals;
  }

  Optional<Report> undo() throws IOException {
    try (ApplySession session = journals.open(Path.of(workspace.path()))) {
      Optional<Outcome> outcome = session.undo();
      if (outcome.isPresent() && outcome.get() instanceof Outcome.Applied applied) {
        reading.bases().undone(applied.undoes());
      }
      return outcome.map(Undoing::report);
    }
  }

  Optional<Report> recover() throws IOException {
    return journals.recover(Path.of(workspace.path())).map(Undoing::report);
  }

  private static Report report(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Applied(var id, var _, var paths) ->
          new Report(Optional.of(id), paths, List.of(), List.of(), List.of());
      case Outcome.TakenBack(var leftAlone) ->
          new Report(
              Optional.empty(),
              List.of(),
              List.of(),
              List.of(),
              leftAlone.stream()
                  .map(path -> new Note(path, "the host has changed it since"))
                  .toList());
    };
  }
}
