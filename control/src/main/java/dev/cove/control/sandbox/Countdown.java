package dev.cove.control.sandbox;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Counts down to a point in time by a clock that never jumps. The wall clock is looked at once,
 * when the point is first heard of: whoever sets it meanwhile makes nothing due, and puts nothing
 * off.
 */
final class Countdown {
  private @Nullable Instant end;
  private long deadline;

  /**
   * @param newEnd what is counted down to
   * @param longest how far off that can be; a wall clock that was set back says more
   * @param nanos of {@link System#nanoTime}
   */
  boolean isOver(Instant newEnd, Duration longest, Clock wall, long nanos) {
    if (!newEnd.equals(end)) {
      end = newEnd;
      Duration left = Duration.between(wall.instant(), newEnd);
      deadline = nanos + Math.clamp(nanosOf(left), 0, nanosOf(longest));
    }
    return nanos - deadline >= 0;
  }

  private static long nanosOf(Duration time) {
    return time.toSeconds() < Integer.MIN_VALUE ? Long.MIN_VALUE : time.toNanos();
  }
}
