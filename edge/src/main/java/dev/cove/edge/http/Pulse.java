package dev.cove.edge.http;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * What a stream of events does besides its work: it looks whether its key still holds, and it says
 * that it lives before anybody between us and the client takes its silence for its end.
 */
public final class Pulse {
  private final EventStream events;
  private final Caller caller;
  private final Duration tick;
  private final Duration longestSilence;
  private long checkedAt = System.nanoTime();

  Pulse(EventStream events, Caller caller, HttpLimits limits) {
    this.events = events;
    this.caller = caller;
    this.tick = limits.tick();
    // Whoever waits one more tick is not late.
    this.longestSilence = limits.heartbeat().minus(tick);
  }

  /**
   * Called once each {@link HttpLimits#tick}, or more often.
   *
   * @throws CoveException UNAUTHENTICATED when the key was revoked
   */
  public void beat() throws IOException {
    long now = System.nanoTime();
    if (now - checkedAt >= tick.toNanos()) {
      checkedAt = now;
      if (!caller.isStillValid()) {
        throw new CoveException(ErrorCode.UNAUTHENTICATED, "The API key was revoked.");
      }
    }
    events.heartbeatAfter(longestSilence);
  }

  /**
   * Beats beside work that cannot, until it is closed.
   *
   * @param end is told why there is nobody any more whom the work is for
   */
  public Beside beside(Consumer<String> end) {
    var beside = new Beside(end);
    Thread.ofVirtual().name("pulse").start(beside::run);
    return beside;
  }

  /**
   * The thread is never interrupted: it may be writing, and half a write would ruin the stream for
   * the event after it.
   */
  public final class Beside implements AutoCloseable {
    private final Consumer<String> end;
    private final ReentrantLock beating = new ReentrantLock();
    private final Condition closing = beating.newCondition();
    private boolean closed;

    private Beside(Consumer<String> end) {
      this.end = end;
    }

    private void run() {
      try {
        beatUntilClosed();
      } catch (CoveException _) {
        end.accept("the API key was revoked");
      } catch (IOException _) {
        end.accept("the caller went away");
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    private void beatUntilClosed() throws IOException, InterruptedException {
      beating.lock();
      try {
        while (!closed) {
          if (!closing.await(tick.toNanos(), TimeUnit.NANOSECONDS)) {
            beat();
          }
        }
      } finally {
        beating.unlock();
      }
    }

    /** Nothing is sent from here on. */
    @Override
    public void close() {
      beating.lock();
      try {
        closed = true;
        closing.signal();
      } finally {
        beating.unlock();
      }
    }
  }
}
