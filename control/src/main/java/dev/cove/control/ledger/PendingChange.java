package dev.cove.control.ledger;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A change on its way through the writer. Its future completes when it is written or refused. */
final class PendingChange<T> {
  private enum Stage {
    QUEUED,
    TAKEN,
    WITHDRAWN
  }

  private final Change<T> change;
  private final boolean durable;
  private final CompletableFuture<T> outcome = new CompletableFuture<>();
  private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.QUEUED);
  private @Nullable T result;

  /**
   * @param durable whether it must be on the disk before its future completes, and not only in the
   *     kernel's hands
   */
  PendingChange(Change<T> change, boolean durable) {
    this.change = change;
    this.durable = durable;
  }

  boolean isDurable() {
    return durable;
  }

  CompletableFuture<T> outcome() {
    return outcome;
  }

  /** Claims the change for the writer; false when its caller has given up on it. */
  boolean take() {
    return stage.compareAndSet(Stage.QUEUED, Stage.TAKEN);
  }

  void apply(Session session) throws SQLException {
    result = change.apply(session);
  }

  void succeed() {
    T value = result;
    if (value != null) {
      outcome.complete(value);
    }
  }

  void fail(RuntimeException e) {
    outcome.completeExceptionally(e);
  }

  /**
   * Waits until the change is written or refused.
   *
   * <p>Giving up withdraws the change if the writer has not begun with it; otherwise the writer is
   * waited for once more, because a caller that is told "no" must be able to rely on it.
   */
  T await(Duration patience) {
    try {
      return awaitOutcome(patience);
    } catch (TimeoutException _) {
      if (stage.compareAndSet(Stage.QUEUED, Stage.WITHDRAWN)) {
        throw new CoveException(ErrorCode.UNAVAILABLE, "The ledger is busy; repeat the request.");
      }
    }
    try {
      return awaitOutcome(patience.multipliedBy(3));
    } catch (TimeoutException e) {
      throw new LedgerSilentException(e);
    }
  }

  private T awaitOutcome(Duration patience) throws TimeoutException {
    boolean interrupted = false;
    long deadline = System.nanoTime() + patience.toNanos();
    try {
      while (true) {
        try {
          return outcome.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
          interrupted = true; // a change that is under way cannot be called back
        } catch (ExecutionException e) {
          throw asThrown(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A new exception with the caller's own stack: one fault may end a whole batch. */
  private static RuntimeException asThrown(@Nullable Throwable cause) {
    if (cause instanceof CoveException fault) {
      return new CoveException(fault.code(), String.valueOf(fault.getMessage()), fault);
    }
    return new IllegalStateException("A change to the ledger failed", cause);
  }
}
