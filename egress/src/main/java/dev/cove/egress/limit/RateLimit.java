package dev.cove.egress.limit;

import java.util.function.LongSupplier;

/** So many per second in the long run, and some at once after a pause. */
public final class RateLimit {
  private final LongSupplier nanoClock;
  private double perNano;
  private double burst;
  private double left;
  private long last;

  public RateLimit(int perSecond, int burst) {
    this(perSecond, burst, System::nanoTime);
  }

  RateLimit(int perSecond, int burst, LongSupplier nanoClock) {
    this.perNano = perSecond / 1e9;
    this.burst = burst;
    this.nanoClock = nanoClock;
    this.left = burst;
    this.last = nanoClock.getAsLong();
  }

  public synchronized void change(int perSecond, int newBurst) {
    perNano = perSecond / 1e9;
    burst = newBurst;
    left = Math.min(left, burst);
  }

  /** Whether one more is within the limit; then it is counted. */
  public synchronized boolean take() {
    long now = nanoClock.getAsLong();
    left = Math.min(burst, left + (now - last) * perNano);
    last = now;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
