package dev.cove.control.sandbox;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Where all wait that need a place on a machine that is full, to be made or to run again: a line
 * for each project, and each project in its turn. However many one project sends, another's first
 * is served after one of them.
 *
 * <p>Whoever comes while others wait goes to the end of its line. The one whose turn it is tries
 * again whenever a place may have become free; once it has one, its project goes to the back.
 */
final class PlaceQueue {
  /**
   * @param longest that anybody waits; zero for no queue
   * @param line how many of one project may wait
   */
  record Limits(Duration longest, int line) {}

  /** Memory becomes free without a word. */
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  /** Somebody's need may pass without a word. */
  private static final Duration GLANCE = Duration.ofMillis(500);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private final Map<ProjectName, Deque<Waiter>> lines = new LinkedHashMap<>();
  private volatile Limits limits = new Limits(Duration.ZERO, 0);

  private static final class Waiter {
    private final BooleanSupplier needed;
    private boolean gone;

    private Waiter(BooleanSupplier needed) {
      this.needed = needed;
    }
  }

  /** Why somebody waits no longer. */
  private enum Turn {
    /** It is the first of all. */
    MINE,
    /** It needs no place any more. */
    NEEDLESS,
    /** It is too late, or the caller has left. */
    OVER
  }

  void limit(Limits wanted) {
    limits = wanted;
  }

  /** Makes something, as soon as there is a place for it. */
  <T> T enter(ProjectName project, Supplier<T> attempt) {
    return enter(project, () -> true, attempt);
  }

  /**
   * Does something, as soon as there is a place for it.
   *
   * @param needed whether it needs one still: somebody else may have done the same meanwhile
   */
  <T> T enter(ProjectName project, BooleanSupplier needed, Supplier<T> attempt) {
    Patience patience = Patience.current();
    Duration longest = patience.within(limits.longest());
    if (isEmpty()) {
      try {
        return attempt.get();
      } catch (NoPlaceException e) {
        if (longest.isZero()) {
          throw e;
        }
      }
    } else if (longest.isZero()) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "This machine is full, and others wait for a place already.");
    }
    Waiter me = join(project, needed);
    try (Patience.Watch _ = patience.watch().apply(() -> left(me))) {
      return await(project, me, attempt, System.nanoTime() + longest.toNanos());
    } finally {
      leave(project, me);
    }
  }

  private <T> T await(ProjectName project, Waiter me, Supplier<T> attempt, long deadline) {
    Optional<NoPlaceException> refusal = Optional.empty();
    while (true) {
      switch (awaitTurn(project, me, deadline)) {
        case OVER ->
            throw refusal
                .<CoveException>map(last -> last)
                .orElseGet(() ->
                    new CoveException(
                        ErrorCode.NO_ROOM,
                        "This machine is full, and no place became free in time."));
        case NEEDLESS -> {
          try {
            return attempt.get();
          } catch (NoPlaceException e) {
            refusal = Optional.of(e); // who was about to do it found no place either
          }
        }
        case MINE -> {
          try {
            T made = attempt.get();
            served(project);
            return made;
          } catch (NoPlaceException e) {
            refusal = Optional.of(e);
            pause(deadline);
          }
        }
      }
    }
  }

  /** How many wait, of all projects. */
  int size() {
    lock.lock();
    try {
      return lines.values().stream().mapToInt(Deque::size).sum();
    } finally {
      lock.unlock();
    }
  }

  private boolean isEmpty() {
    lock.lock();
    try {
      return lines.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private Waiter join(ProjectName project, BooleanSupplier needed) {
    lock.lock();
    try {
      Deque<Waiter> line = lines.computeIfAbsent(project, _ -> new ArrayDeque<>());
      if (line.size() >= limits.line()) {
        if (line.isEmpty()) {
          lines.remove(project);
        }
        throw new CoveException(
            ErrorCode.TOO_MANY_REQUESTS,
            "This machine is full, and %d of project %s wait for a place already; try again later."
                .formatted(line.size(), project));
      }
      var me = new Waiter(needed);
      line.add(me);
      return me;
    } finally {
      lock.unlock();
    }
  }

  private void leave(ProjectName project, Waiter me) {
    lock.lock();
    try {
      Deque<Waiter> line = lines.get(project);
      if (line != null) {
        line.remove(me);
        if (line.isEmpty()) {
          lines.remove(project);
        }
      }
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void left(Waiter me) {
    lock.lock();
    try {
      me.gone = true;
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The project goes to the back. */
  private void served(ProjectName project) {
    lock.lock();
    try {
      Deque<Waiter> line = lines.remove(project);
      if (line != null) {
        lines.put(project, line);
      }
    } finally {
      lock.unlock();
    }
  }

  /** A place may have become free. */
  void look() {
    lock.lock();
    try {
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private Turn awaitTurn(ProjectName project, Waiter me, long deadline) {
    lock.lock();
    try {
      while (true) {
        long left = deadline - System.nanoTime();
        if (me.gone || left <= 0) {
          return Turn.OVER;
        }
        if (!me.needed.getAsBoolean()) {
          return Turn.NEEDLESS;
        }
        var first = lines.entrySet().iterator().next();
        if (first.getKey().equals(project) && first.getValue().peekFirst() == me) {
          return Turn.MINE;
        }
        moved.await(Math.min(left, GLANCE.toNanos()), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // whoever wakes looks for himself whether there is a place
  private void pause(long deadline) {
    lock.lock();
    try {
      long most = Math.min(LOOK_AGAIN.toNanos(), deadline - System.nanoTime());
      if (most > 0) {
        moved.await(most, TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    } finally {
      lock.unlock();
    }
  }
}
