package dev.cove.model.observe;

import java.util.concurrent.atomic.LongAdder;

/** How long something took, each time. */
public final class Durations {
  private static final double[] BOUNDS = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60
  };

  private final LongAdder[] buckets = new LongAdder[BOUNDS.length + 1];
  private final LongAdder nanosSum = new LongAdder();

  public Durations() {
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = new LongAdder();
    }
  }

  public void add(long nanos) {
    int bucket = 0;
    while (bucket < BOUNDS.length && nanos > BOUNDS[bucket] * 1e9) {
      bucket++;
    }
    buckets[bucket].increment();
    nanosSum.add(nanos);
  }

  /** Hears how many took at most so long; the last bound is {@code +Inf}. */
  @FunctionalInterface
  public interface Buckets {
    void upTo(String bound, long count);
  }

  /** Returns how many there are. */
  public long read(Buckets reader) {
    long total = 0;
    for (int i = 0; i < buckets.length; i++) {
      total += buckets[i].sum();
      reader.upTo(i < BOUNDS.length ? Double.toString(BOUNDS[i]) : "+Inf", total);
    }
    return total;
  }

  public double seconds() {
    return nanosSum.sum() / 1e9;
  }
}
