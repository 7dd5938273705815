package dev.cove.cli;

import dev.cove.sdk.Cove;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Takes the project's own version back into the sandbox. */
final class DiscardVerb implements Callable<Integer> {
  private final Session session;
  private List<String> words = List.of();
  private boolean all;

  private DiscardVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var discard = new DiscardVerb(session);
    return Description.of(
            discard, "Let a sandbox forget what it changed: it has the project's version again.")
        .flag("--all", "Everything that it changed.", () -> discard.all = true)
        .parameters("0..*", ReviewTarget.LABEL, ReviewTarget.ABOUT, words -> discard.words = words)
        .synopsis("cove discard [BOX] PATH...", "cove discard --all [BOX]")
        .examples("cove discard --all box", "cove discard box src/generated/")
        .note("A checkpoint is taken first, so that it can be taken back.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      ReviewTarget target = ReviewTarget.find(cove, words);
      if (target.between().isPresent()) {
        throw new Misuse("Only 'cove diff' knows BOX@N..@M");
      }
      if (all == target.isNarrowed()) {
        throw new Misuse("Say either what to discard, or --all");
      }
      if (ReviewedChanges.of(target).all().isEmpty()) {
        session.note("cove: There is nothing to discard.");
        return ExitCode.OK;
      }
      for (ReviewTarget.Part part : target.parts()) {
        String checkpoint =
            target.sandbox().changes().discard(Optional.of(part.project().target()), part.paths());
        session.note(
            "cove: Discarded. 'cove restore %s %s' brings it back."
                .formatted(target.box(), checkpoint));
      }
    }
    return ExitCode.OK;
  }
}
