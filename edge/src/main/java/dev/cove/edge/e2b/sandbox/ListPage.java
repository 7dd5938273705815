package dev.cove.edge.e2b.sandbox;

import dev.cove.control.ledger.Micros;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.sandbox.SandboxPage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Some of the sandboxes that were asked for.
 *
 * @param running how many of all that were asked for run
 */
record ListPage(List<Sandbox> items, Optional<String> nextToken, long running) {
  private static final int STRIDE = 1_000;
  private static final Comparator<Sandbox> OLDEST_FIRST =
      Comparator.comparing(Sandbox::createdAt).thenComparing(Sandbox::id);

  static ListPage of(SandboxLifecycle lifecycle, ListQuery query) {
    List<Sandbox> matching =
        all(lifecycle).stream()
            .filter(query::matches)
            .sorted(query.newestFirst() ? OLDEST_FIRST.reversed() : OLDEST_FIRST)
            .toList();
    List<Sandbox> rest = matching;
    if (query.nextToken().isPresent()) {
      String last = open(query.nextToken().get());
      rest =
          matching.stream()
              .filter(sandbox ->
                  query.newestFirst()
                      ? place(sandbox).compareTo(last) < 0
                      : place(sandbox).compareTo(last) > 0)
              .toList();
    }
    List<Sandbox> items = rest.subList(0, Math.min(rest.size(), query.limit()));
    Optional<String> next =
        items.size() < rest.size() ? Optional.of(seal(items.getLast())) : Optional.empty();
    return new ListPage(items, next, matching.stream().filter(Bodies::isRunning).count());
  }

  private static List<Sandbox> all(SandboxLifecycle lifecycle) {
    var all = new ArrayList<Sandbox>();
    Optional<String> cursor = Optional.empty();
    do {
      SandboxPage page = lifecycle.list(Map.of(), STRIDE, cursor);
      all.addAll(page.items());
      cursor = page.nextCursor();
    } while (cursor.isPresent());
    return all;
  }

  /** Text that is in order when the sandboxes are. */
  private static String place(Sandbox sandbox) {
    return "%020d %s".formatted(Micros.of(sandbox.createdAt()), sandbox.id());
  }

  private static String seal(Sandbox last) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(place(last).getBytes(StandardCharsets.UTF_8));
  }

  private static String open(String token) {
    try {
      return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("nextToken is not one that was given out", e);
    }
  }
}
