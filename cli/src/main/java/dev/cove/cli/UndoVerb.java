package dev.cove.cli;

import dev.cove.sdk.ApplyConflictException;
import dev.cove.sdk.ApplyResult;
import dev.cove.sdk.Cove;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Takes the last apply back. */
final class UndoVerb implements Callable<Integer> {
  private final Session session;
  private List<String> words = List.of();

  private UndoVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var undo = new UndoVerb(session);
    return Description.of(
            undo, "Take the last apply back: the project is as it was before, and so is the diff.")
        .parameters(
            "0..1",
            "[BOX]",
            "The sandbox's id or name, by default the newest that works on this folder.",
            words -> undo.words = words)
        .synopsis("cove undo [BOX]")
        .examples("cove undo", "cove undo box")
        .note("Where a file has changed since, nothing is taken back, and the files are named.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      ReviewTarget target = ReviewTarget.find(cove, words);
      if (target.isNarrowed() || target.between().isPresent()) {
        throw new Misuse("An apply is taken back whole; say just the sandbox");
      }
      for (ReviewTarget.Part part : target.parts()) {
        undo(target, part);
      }
    }
    return ExitCode.OK;
  }

  private void undo(ReviewTarget target, ReviewTarget.Part part) {
    try {
      ApplyResult result = target.sandbox().changes().undo(Optional.of(part.project().target()));
      result.applied().forEach(path -> session.println("undone    " + Escapes.visible(path)));
    } catch (ApplyConflictException e) {
      for (ApplyResult.Left left : e.result().conflicts()) {
        session.note("changed   " + Escapes.visible(left.path()));
      }
      throw new UserError("Nothing was taken back: these have changed since they were applied", e);
    }
  }
}
