package dev.cove.control.sandbox;

import dev.cove.node.Node.Activity;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long nothing has happened in one sandbox, told from what is seen of it now and then. Pure: it
 * is told the time, which never jumps.
 */
final class Idleness {
  /** As often as this may be looked; rarely enough to cost nothing, often enough to be true. */
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(30);

  private static final Duration SHORTEST_LOOK = Duration.ofMillis(400);
  private static final int LOOKS = 30;

  private @Nullable Activity last;
  private long lastLook;
  private long lastActive;

  /** Whether it is time to look again, for somebody who waits for so much idleness. */
  boolean isDue(Duration awaited, long nanos) {
    Duration between = awaited.dividedBy(LOOKS);
    Duration look =
        between.compareTo(LONGEST_LOOK) > 0
            ? LONGEST_LOOK
            : between.compareTo(SHORTEST_LOOK) < 0 ? SHORTEST_LOOK : between;
    return last == null || nanos - lastLook >= look.toNanos();
  }

  /**
   * @param cpuShare of one processor; who uses more between two looks is not idle
   */
  void note(Activity now, double cpuShare, long nanos) {
    Activity before = last;
    if (before == null || !now.quietSince(before) || uses(before, now, cpuShare, nanos)) {
      lastActive = nanos;
    }
    last = now;
    lastLook = nanos;
  }

  private boolean uses(Activity before, Activity now, double cpuShare, long nanos) {
    long used = now.cpu().minus(before.cpu()).toNanos();
    return used < 0 || used > cpuShare * (nanos - lastLook);
  }

  boolean hasLasted(Duration time, long nanos) {
    return last != null && nanos - lastActive >= time.toNanos();
  }

  /** It rests, or is used by somebody who cannot be seen here: the time begins anew. */
  void forget() {
    last = null;
  }
}
