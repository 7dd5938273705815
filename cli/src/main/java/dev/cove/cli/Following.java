package dev.cove.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Looks at a list again and again, and shows what was not in it before.
 *
 * @param look gives the list as it is now
 * @param identity what tells one item from another
 */
record Following<T>(Supplier<List<T>> look, Function<T, ?> identity, Consumer<List<T>> show) {
  static final Duration INTERVAL = Duration.ofMillis(500);

  /** Goes on from a list that was shown already, until nobody reads what is printed any more. */
  void from(List<T> shown, PrintStream out) throws InterruptedException {
    List<T> now = shown;
    while (!out.checkError()) {
      Thread.sleep(INTERVAL);
      Set<Object> seen = now.stream().map(identity).collect(Collectors.toSet());
      now = look.get();
      List<T> fresh = now.stream().filter(item -> !seen.contains(identity.apply(item))).toList();
      if (!fresh.isEmpty()) {
        show.accept(fresh);
      }
    }
  }
}
