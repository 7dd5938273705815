package dev.cove.edge.port;

import dev.cove.control.port.PortAddress;
import dev.cove.edge.http.ClientGoneException;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.RawExchange;
import dev.cove.model.ErrorCode;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One request, or one upgraded connection, on its way through. Others may cut it: when it takes too
 * long, when its client has left, or when whoever it was let in for is let in no more.
 */
final class Passage implements AutoCloseable {
  /** Most requests are over long before; watching for their clients would only cost. */
  private static final long WATCH_AFTER_NANOS = Duration.ofSeconds(1).toNanos();

  private final Passages passages;
  private final PortAddress address;
  private final BooleanSupplier stillHolds;
  private final RawExchange exchange;
  private final long startNanos = System.nanoTime();
  private final ReentrantLock lock = new ReentrantLock();
  private Runnable ending = Thread.currentThread()::interrupt;
  private boolean done;
  private boolean tunnel;
  private long deadlineNanos;
  private boolean hasDeadline;
  private @Nullable ClientPresence presence;
  private @Nullable Exception reason;

  Passage(
      Passages passages, PortAddress address, BooleanSupplier stillHolds, RawExchange exchange) {
    this.passages = passages;
    this.address = address;
    this.stillHolds = stillHolds;
    this.exchange = exchange;
  }

  PortAddress address() {
    return address;
  }

  /** From now on, the server inside has so long for its next step. */
  void expectWithin(Duration time) {
    lock.lock();
    try {
      deadlineNanos = System.nanoTime() + time.toNanos();
      hasDeadline = true;
    } finally {
      lock.unlock();
    }
  }

  /** From now on it may take its time. */
  void expectNothing() {
    lock.lock();
    try {
      hasDeadline = false;
    } finally {
      lock.unlock();
    }
  }

  /** From now on this is what ends it, not an interruption of the thread that began. */
  void becomeTunnel(Runnable newEnding) {
    lock.lock();
    try {
      tunnel = true;
      hasDeadline = false;
      ending = newEnding;
      stopWatching();
      if (reason != null) {
        newEnding.run();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Cuts it if there is cause to. */
  void look(long nowNanos) {
    if (!stillHolds.getAsBoolean()) {
      cut(new HttpRefusal(401, ErrorCode.UNAUTHENTICATED, "This port was made private meanwhile"));
      return;
    }
    lock.lock();
    try {
      if (hasDeadline && nowNanos - deadlineNanos > 0) {
        cut(
            new HttpRefusal(
                504,
                ErrorCode.GATEWAY_TIMEOUT,
                "The server on port %d does not answer".formatted(address.port())));
      } else if (!done
          && !tunnel
          && presence == null
          && nowNanos - startNanos > WATCH_AFTER_NANOS
          && exchange.isRead()) {
        presence = exchange.watchClient(() -> cut(new ClientGoneException()));
      }
    } finally {
      lock.unlock();
    }
  }

  void cut(Exception why) {
    lock.lock();
    try {
      if (!done && reason == null) {
        reason = why;
        ending.run();
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isCut() {
    lock.lock();
    try {
      return reason != null;
    } finally {
      lock.unlock();
    }
  }

  /** Why it was cut, if it was; otherwise what went wrong by itself. */
  Exception reasonOr(Exception failure) {
    lock.lock();
    try {
      return reason == null ? failure : reason;
    } finally {
      lock.unlock();
    }
  }

  /** After this nobody interrupts the thread or watches the client any more. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (done) {
        return;
      }
      done = true;
      stopWatching();
      if (reason != null && !tunnel) {
        Thread.interrupted(); // the interruption was for the work that has just ended
      }
    } finally {
      lock.unlock();
    }
    passages.left(this);
  }

  private void stopWatching() {
    if (presence != null) {
      presence.close();
      presence = null;
    }
  }
}
