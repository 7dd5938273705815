package dev.cove.egress.limit;

import dev.cove.model.ProjectName;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the sandboxes of one project send and receive together in each day of UTC, and how much that
 * may be. A day that has begun is not taken back, whatever the clock says.
 */
public final class DailyBytes {
  private final Clock clock;
  private final Verdict verdict;
  private final Runnable whenSpent;

  // Guarded by this.
  private LocalDate day;
  private long spent;
  private OptionalLong perDay = OptionalLong.empty();

  /**
   * @param whenSpent to be done when there is nothing left for what goes on
   */
  public DailyBytes(ProjectName project, Clock clock, Runnable whenSpent) {
    this.clock = clock;
    this.verdict = new Verdict(Outcome.DENIED, "quota egressMbPerDay of project " + project);
    this.whenSpent = whenSpent;
    this.day = today();
  }

  private LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }

  /** From now on; what was spent today stays spent. */
  public void limit(OptionalLong bytesPerDay) {
    boolean over;
    synchronized (this) {
      turn();
      perDay = bytesPerDay;
      over = isOver();
    }
    if (over) {
      whenSpent.run();
    }
  }

  /** Counts what was spent on a day before anybody counted here. */
  public synchronized void begin(LocalDate when, long bytes) {
    turn();
    if (when.equals(day)) {
      spent += bytes;
    }
  }

  /** Counts bytes; says whether they were within what may be. */
  public boolean spend(long bytes) {
    boolean before;
    boolean after;
    synchronized (this) {
      turn();
      before = isOver();
      spent += bytes;
      after = isOver();
    }
    if (after && !before) {
      whenSpent.run();
    }
    return !after;
  }

  /** Why nothing new may begin today; empty while something is left. */
  public synchronized Optional<Verdict> objection() {
    turn();
    return perDay.isPresent() && spent >= perDay.getAsLong()
        ? Optional.of(verdict)
        : Optional.empty();
  }

  public Verdict verdict() {
    return verdict;
  }

  public synchronized long spentToday() {
    turn();
    return spent;
  }

  private boolean isOver() {
    return perDay.isPresent() && spent > perDay.getAsLong();
  }

  private void turn() {
    LocalDate now = today();
    if (now.isAfter(day)) {
      day = now;
      spent = 0;
    }
  }
}
