package dev.cove.cli;

import dev.cove.review.text.DiffLine;
import dev.cove.review.text.Hunk;
import dev.cove.review.text.Hunks;
import dev.cove.review.tree.Digests;
import dev.cove.sdk.ApplyConflictException;
import dev.cove.sdk.ApplyRequest;
import dev.cove.sdk.ApplyResult;
import dev.cove.sdk.Change;
import dev.cove.sdk.SandboxChanges;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Has the server apply, project by project, and tells what came of it. */
final class Applying {
  /** As many as {@code cove diff} shows around a change, so that hunks have the same numbers. */
  static final int CONTEXT = 3;

  private final Session session;
  private final ReviewTarget target;
  private final SandboxChanges changes;
  private final boolean json;

  Applying(Session session, ReviewTarget target, boolean json) {
    this.session = session;
    this.target = target;
    this.changes = target.sandbox().changes();
    this.json = json;
  }

  /** A file of which just some lines are wanted. */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  record Composed(String project, String path, byte[] content, String sandboxDigest) {}

  int recover() {
    for (ReviewTarget.Part part : target.parts()) {
      ApplyResult result = changes.recover(Optional.of(part.project().target()));
      result.applied().forEach(path -> session.println("applied   " + Escapes.visible(path)));
    }
    session.note("cove: Nothing is left half done.");
    return ExitCode.OK;
  }

  /**
   * @param hunks such as {@code src/a.c:1,3}; none for all of what is meant
   */
  int apply(ReviewedChanges reviewed, List<String> hunks, String onConflict, boolean dryRun) {
    if (reviewed.all().isEmpty()) {
      session.note("cove: There is nothing to apply.");
      return ExitCode.OK;
    }
    List<Composed> composed = compose(reviewed, hunks);
    int code = ExitCode.OK;
    for (ReviewTarget.Part part : target.parts()) {
      String project = part.project().target();
      Optional<ApplyRequest> request =
          composed.isEmpty() ? whole(part, reviewed) : some(project, List.of(), composed);
      if (request.isPresent()) {
        code = Math.max(code, send(request.get().project(project), onConflict, dryRun));
      }
    }
    return code;
  }

  private static Optional<ApplyRequest> whole(ReviewTarget.Part part, ReviewedChanges reviewed) {
    String project = part.project().target();
    if (reviewed.all().stream().noneMatch(change -> change.project().equals(project))) {
      return Optional.empty();
    }
    return Optional.of(part.paths().isEmpty() ? ApplyRequest.all() : ApplyRequest.of(part.paths()));
  }

  /** Those paths of a project, and those files of it that were composed. */
  static Optional<ApplyRequest> some(String project, List<String> paths, List<Composed> composed) {
    List<Composed> here = composed.stream().filter(file -> file.project().equals(project)).toList();
    if (paths.isEmpty() && here.isEmpty()) {
      return Optional.empty();
    }
    ApplyRequest request = ApplyRequest.of(paths);
    for (Composed file : here) {
      request = request.content(file.path(), file.content(), file.sandboxDigest());
    }
    return Optional.of(request);
  }

  private List<Composed> compose(ReviewedChanges reviewed, List<String> wanted) {
    var composed = new ArrayList<Composed>();
    for (String word : wanted) {
      int colon = word.lastIndexOf(':');
      if (colon <= 0 || !word.substring(colon + 1).matches("[0-9]{1,6}(,[0-9]{1,6})*")) {
        throw new Misuse(
            "'%s' is not PATH:N,N such as src/main.c:1,3".formatted(Escapes.visible(word)));
      }
      String path = word.substring(0, colon);
      Change change =
          reviewed.all().stream()
              .filter(one -> one.path().equals(path))
              .findFirst()
              .orElseThrow(
                  () -> new UserError("'%s' was not changed".formatted(Escapes.visible(path))));
      composed.add(composed(reviewed, change, numbers(word.substring(colon + 1))));
    }
    return composed;
  }

  private static Set<Integer> numbers(String text) {
    var numbers = new HashSet<Integer>();
    for (String number : text.split(",")) {
      numbers.add(Integer.parseInt(number));
    }
    return numbers;
  }

  private static Composed composed(ReviewedChanges reviewed, Change change, Set<Integer> numbers) {
    String name = Escapes.visible(change.path());
    switch (reviewed.versions(change)) {
      case ReviewedChanges.Versions.Unreadable(var why) ->
          throw new UserError("'%s' has no hunks: it %s".formatted(name, why));
      case ReviewedChanges.Versions.Text(var before, var after) -> {
        Hunks hunks = Hunks.between(before, after, CONTEXT);
        var taken = new HashSet<DiffLine>();
        for (int number : numbers) {
          if (number == 0 || number > hunks.all().size()) {
            throw new UserError(
                "'%s' has no hunk %d, but %s"
                    .formatted(name, number, Human.count(hunks.all().size(), "hunk")));
          }
          Hunk hunk = hunks.all().get(number - 1);
          taken.addAll(hunk.lines());
        }
        return new Composed(
            change.project(),
            change.path(),
            hunks.taking(taken::contains).bytes(),
            digest(after.bytes()));
      }
    }
  }

  static String digest(byte[] content) {
    MessageDigest digest = Digests.begin();
    digest.update(content);
    return Digests.end(digest);
  }

  /** Sends one request and says what came of it. */
  int send(ApplyRequest request, String onConflict, boolean dryRun) {
    ApplyRequest whole = request.onConflict(onConflict);
    try {
      ApplyResult result = changes.apply(dryRun ? whole.dryRun() : whole);
      if (json) {
        session.println(result.toJson());
      } else {
        tell(result, dryRun);
      }
      return ExitCode.OK;
    } catch (ApplyConflictException e) {
      if (json) {
        session.println(e.result().toJson());
      }
      e.result().conflicts().forEach(left -> session.note("conflict  " + told(left)));
      throw new UserError(
          "Nothing was changed: the project and the sandbox have both changed these. --markers writes"
              + " both versions, --ours keeps the project's, --theirs takes the sandbox's",
          e);
    }
  }

  private void tell(ApplyResult result, boolean dryRun) {
    result.applied().forEach(path -> session.println("applied   " + Escapes.visible(path)));
    for (ApplyResult.Left left : result.skipped()) {
      session.println("skipped   " + told(left));
    }
    for (ApplyResult.Left left : result.conflicts()) {
      session.println("conflict  " + told(left));
    }
    session.note(
        "cove: %s%s."
            .formatted(
                dryRun ? "Would apply " : "Applied ",
                Human.count(result.applied().size(), "path")));
    if (!dryRun && !result.applied().isEmpty()) {
      session.note("cove: 'cove undo %s' takes it back.".formatted(target.box()));
    }
  }

  private static String told(ApplyResult.Left left) {
    return Escapes.visible(left.path()) + ": " + Escapes.visible(left.reason());
  }
}
