package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Does something to several things: what is refused is told by name, and the others follow. */
final class OneByOne {
  private final Session session;
  private final Predicate<CoveApiException> wellEnough;

  OneByOne(Session session) {
    this(session, _ -> false);
  }

  private OneByOne(Session session, Predicate<CoveApiException> wellEnough) {
    this.session = session;
    this.wellEnough = wellEnough;
  }

  /** Says nothing of what is not there. */
  OneByOne orAbsent() {
    return new OneByOne(session, e -> e.status() == 404);
  }

  /**
   * @return the exit code
   */
  int of(List<String> names, BiConsumer<Cove, String> work) {
    int code = ExitCode.OK;
    try (Cove cove = session.connect()) {
      for (String name : names) {
        try {
          work.accept(cove, name);
        } catch (CoveApiException e) {
          if (!wellEnough.test(e)) {
            session.note("cove: " + name + ": " + e.detail());
            code = ExitCode.FAILED;
          }
        }
      }
    }
    return code;
  }
}
