package dev.cove.bench.report;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Durations of the same thing done many times, and how often it failed instead.
 *
 * <p>Percentiles are by nearest rank: every figure shown is one that was really measured, never one
 * in between.
 */
public final class Samples {
  private final long[] sortedNanos;
  private final int failures;

  private Samples(long[] sortedNanos, int failures) {
    this.sortedNanos = sortedNanos;
    this.failures = failures;
  }

  public static Samples of(List<Duration> durations, int failures) {
    if (failures < 0) {
      throw new IllegalArgumentException("failures must not be negative, was " + failures);
    }
    return new Samples(
        durations.stream().mapToLong(Duration::toNanos).sorted().toArray(), failures);
  }

  public int count() {
    return sortedNanos.length;
  }

  public int failures() {
    return failures;
  }

  public boolean isEmpty() {
    return sortedNanos.length == 0;
  }

  /** In milliseconds; not a number when nothing succeeded. */
  public double minMillis() {
    return percentileMillis(0);
  }

  /** In milliseconds; not a number when nothing succeeded. */
  public double p50Millis() {
    return percentileMillis(50);
  }

  /** In milliseconds; not a number when nothing succeeded. */
  public double p99Millis() {
    return percentileMillis(99);
  }

  double percentileMillis(double percent) {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException("A percentile lies between 0 and 100, was " + percent);
    }
    if (sortedNanos.length == 0) {
      return Double.NaN;
    }
    int rank = (int) Math.ceil(percent / 100 * sortedNanos.length);
    return sortedNanos[Math.max(0, rank - 1)] / 1e6;
  }

  @Override
  public String toString() {
    return "Samples" + Arrays.toString(sortedNanos) + " ns, " + failures + " failures";
  }
}
