package dev.cove.cli;

import dev.cove.cli.review.Board;
import dev.cove.cli.review.Choice;
import dev.cove.cli.review.Content;
import dev.cove.cli.review.FileReview;
import dev.cove.sdk.ApplyRequest;
import dev.cove.sdk.Cove;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Lets somebody look at changes one by one, and takes what was decided. */
final class ReviewVerb implements Callable<Integer> {
  private final Session session;
  private List<String> words = List.of();

  private ReviewVerb(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var review = new ReviewVerb(session);
    return Description.of(
            review,
            "Go through what a sandbox changed, take or leave it by file, hunk or line, and apply"
                + " it.")
        .parameters("0..*", ReviewTarget.LABEL, ReviewTarget.ABOUT, words -> review.words = words)
        .synopsis("cove review [BOX] [PATH]...")
        .examples("cove review", "cove review box src/")
        .note("? shows the keys. What was decided is remembered until it is applied or changes.")
        .build();
  }

  @Override
  public Integer call() {
    if (!session.terminal().isInput()
        || !session.terminal().isOutput()
        || session.environment().getOrDefault("TERM", "dumb").equals("dumb")) {
      throw new UserError(
          "cove review needs a terminal; without one there are 'cove diff' and 'cove apply"
              + " --hunks'");
    }
    try (Cove cove = session.connect()) {
      return review(ReviewTarget.find(cove, words));
    }
  }

  private int review(ReviewTarget target) {
    if (target.between().isPresent()) {
      throw new Misuse("Only 'cove diff' knows BOX@N..@M");
    }
    return of(session, target);
  }

  /** The review itself; for others that offer it. */
  static int of(Session session, ReviewTarget target) {
    var files = UnderReview.of(target);
    if (files.isEmpty()) {
      session.note("cove: There is nothing to review.");
      return ExitCode.OK;
    }
    var decisions = Decisions.of(session, target.sandbox().id());
    int stale = decisions.recall(files);
    var board = new Board(target.box(), List.copyOf(files.values()));
    board.say(
        stale == 0
            ? ""
            : "%s changed since you decided: look again.".formatted(Human.count(stale, "file")));
    if (!new ReviewTerminal(session, board).run(() -> decisions.remember(files))) {
      session.note("cove: Nothing was applied; 'cove review' goes on where you were.");
      return ExitCode.OK;
    }
    List<FileReview> changed = changedSince(target, files);
    if (changed.isEmpty()) {
      return apply(session, target, files, board, decisions);
    }
    changed.forEach(file -> file.decide(Choice.OPEN));
    decisions.remember(files);
    session.note(
        "cove: Nothing was applied: %s changed while you looked. Look again."
            .formatted(Human.count(changed.size(), "file")));
    return ExitCode.FAILED;
  }

  /** Those that are wanted and are no longer what was seen. */
  private static List<FileReview> changedSince(
      ReviewTarget target, Map<UnderReview.Place, FileReview> files) {
    Map<UnderReview.Place, FileReview> now = UnderReview.of(target);
    var changed = new ArrayList<FileReview>();
    files.forEach((place, file) -> {
      if (file.isWanted()
          && (!now.containsKey(place)
              || !now.get(place).content().fingerprint().equals(file.content().fingerprint()))) {
        changed.add(file);
      }
    });
    return changed;
  }

  /** Of the version that the lines were chosen from. */
  private static String sandboxDigest(FileReview file) {
    return file.content() instanceof Content.Text text
        ? Applying.digest(text.hunks().after().bytes())
        : "";
  }

  private static int apply(
      Session session,
      ReviewTarget target,
      Map<UnderReview.Place, FileReview> files,
      Board board,
      Decisions decisions) {
    int code = ExitCode.OK;
    var applying = new Applying(session, target, false);
    for (ReviewTarget.Part part : target.parts()) {
      String project = part.project().target();
      var whole = new ArrayList<String>();
      var composed = new ArrayList<Applying.Composed>();
      files.forEach((place, file) -> {
        if (place.project().equals(project) && file.choice() == Choice.TAKEN) {
          whole.add(place.path());
        } else if (place.project().equals(project) && file.isWanted()) {
          composed.add(
              new Applying.Composed(project, place.path(), file.composed(), sandboxDigest(file)));
        }
      });
      Optional<ApplyRequest> request = Applying.some(project, whole, composed);
      if (request.isPresent()) {
        String onConflict = board.onConflict().name().toLowerCase(Locale.ROOT);
        code = Math.max(code, applying.send(request.get().project(project), onConflict, false));
      }
    }
    if (code == ExitCode.OK) {
      files.values().removeIf(FileReview::isWanted);
      decisions.remember(files);
      if (!files.isEmpty()) {
        session.note(
            "cove: %s left in the sandbox; 'cove discard' lets it forget them."
                .formatted(Human.count(files.size(), "file")));
      }
    }
    return code;
  }
}
