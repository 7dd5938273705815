package dev.cove.bench.measure;

import java.time.Duration;

/**
 * How often and how long things are done.
 *
 * @param warmUps rounds thrown away, for the JIT compiler and the page cache of every contender
 * @param crowd how many sandboxes stand idle at once in the end
 */
public record Effort(
    int warmUps,
    int rounds,
    int bursts,
    Duration rateTime,
    int crowd,
    int serverStarts,
    int cliStarts) {

  public static final Effort FULL = new Effort(40, 200, 5, Duration.ofSeconds(30), 1_000, 5, 20);
  public static final Effort QUICK = new Effort(10, 30, 2, Duration.ofSeconds(5), 100, 2, 5);
}
