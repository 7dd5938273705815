package dev.cove.egress.limit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** So many bytes in each hour; the first hour begins with the first of them. */
public final class ByteBudget {
  private static final long HOUR = Duration.ofHours(1).toNanos();
  private static final long NOT_YET = Long.MIN_VALUE;

  private final LongSupplier nanoClock;
  private final AtomicLong begin = new AtomicLong(NOT_YET);
  private final AtomicLong spent = new AtomicLong();
  private volatile long perHour;

  /**
   * @param perHour zero for as many as anybody likes
   */
  public ByteBudget(long perHour) {
    this(perHour, System::nanoTime);
  }

  ByteBudget(long perHour, LongSupplier nanoClock) {
    this.perHour = perHour;
    this.nanoClock = nanoClock;
  }

  /** What was spent in this hour stays spent. */
  public void change(long newPerHour) {
    perHour = newPerHour;
  }

  /** Counts bytes; says whether they were within the budget. */
  public boolean spend(long bytes) {
    turn();
    spent.addAndGet(bytes);
    return !isOver();
  }

  /** Whether there is nothing left for now. */
  public boolean isSpent() {
    turn();
    return isOver();
  }

  private boolean isOver() {
    long most = perHour;
    return most > 0 && spent.get() > most;
  }

  private void turn() {
    long now = nanoClock.getAsLong();
    long last = begin.get();
    if ((last == NOT_YET || now - last >= HOUR) && begin.compareAndSet(last, now)) {
      spent.set(0);
    }
  }
}
