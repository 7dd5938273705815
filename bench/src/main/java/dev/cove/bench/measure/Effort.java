package dev.cove.bench.measure;

import java.time.Duration;

/**
 * How often and how long things are done.
 *
 * @param practice how often Cove does the thing before the rounds, so that the JIT compilers of
 *     server and client have seen it: people compare servers that have been up for a while
 * @param warmUps rounds thrown away, for the page cache of every contender
 * @param crowd how many sandboxes stand idle at once in the end
 * @param soakTime how long requests come at a steady rate
 */
public record Effort(
    int practice,
    int warmUps,
    int rounds,
    int bursts,
    Duration rateTime,
    int crowd,
    int serverStarts,
    int cliStarts,
    Duration soakTime) {

  public static final Effort FULL =
      new Effort(300, 10, 200, 5, Duration.ofSeconds(30), 1_000, 5, 20, Duration.ofMinutes(5));
  public static final Effort QUICK =
      new Effort(60, 5, 30, 2, Duration.ofSeconds(5), 100, 2, 5, Duration.ofSeconds(10));

  /** The same with another time for the steady load. */
  public Effort soaking(Duration time) {
    return new Effort(
        practice, warmUps, rounds, bursts, rateTime, crowd, serverStarts, cliStarts, time);
  }
}
