package dev.cove.cli;

import dev.cove.sdk.ChangeQuery;
import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.util.List;

/** What becomes of a sandbox that was made for one command and has changed a project. */
final class ReviewLater {
  private ReviewLater() {}

  /** Keeps it where there is something to review, and says how to go on. */
  static void keepIfChanged(Session session, Sandbox sandbox) {
    long changes = changes(sandbox);
    if (changes > 0) {
      keep(session, sandbox, changes);
    }
  }

  private static long changes(Sandbox sandbox) {
    return sandbox.changes().list(ChangeQuery.all().limit(1)).total();
  }

  private static void keep(Session session, Sandbox sandbox, long changes) {
    sandbox.detach();
    String box = sandbox.info().name();
    session.note(
        "cove: %s in %s; nothing of it is on the host yet. Go on with:"
            .formatted(Human.count(changes, "change"), box));
    session.note("  cove diff %s      to look".formatted(box));
    session.note("  cove review %s    to choose".formatted(box));
    session.note("  cove apply %s     to take all".formatted(box));
    session.note("  cove rm %s        to take nothing".formatted(box));
  }

  /** The same, but whoever is at a terminal is asked first, and can review at once. */
  static void offer(Session session, Cove cove, Sandbox sandbox) {
    long changes = changes(sandbox);
    if (changes == 0) {
      return;
    }
    boolean asked = session.terminal().isInput() && session.terminal().isOutput();
    if (asked) {
      // From now on it outlives us, whatever the review comes to.
      sandbox.detach();
      session.prompt("cove: %s. Review now? [Y/n] ".formatted(Human.count(changes, "change")));
      String answer = TypedLine.read(session).map(TypedLine::text).orElse("n").strip();
      if (answer.isEmpty() || answer.equalsIgnoreCase("y") || answer.equalsIgnoreCase("yes")) {
        ReviewVerb.of(session, ReviewTarget.find(cove, List.of(sandbox.id())));
        changes = changes(sandbox);
      }
    }
    if (changes > 0) {
      keep(session, sandbox, changes);
    } else {
      sandbox.deleteNow();
    }
  }
}
