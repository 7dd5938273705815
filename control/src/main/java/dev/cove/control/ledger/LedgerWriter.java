package dev.cove.control.ledger;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that writes. While it waits for the disk, further changes gather in the queue; it
 * takes them all into its next transaction. So the more callers there are, the fewer flushes each
 * of them costs, and nobody waits longer than for two.
 *
 * <p>A platform thread: flushing happens in native code, which would pin a virtual thread's
 * carrier.
 */
final class LedgerWriter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LedgerWriter.class);
  static final int MAX_QUEUED = 2_048;
  private static final int MAX_BATCH = 256;

  private final LedgerFile file;
  private final Duration patience;
  private final BlockingQueue<PendingChange<?>> queue = new ArrayBlockingQueue<>(MAX_QUEUED);
  private final Thread thread;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile boolean closing;
  private @Nullable Session session;
  private boolean syncing;

  LedgerWriter(LedgerFile file, Duration patience) {
    this.file = file;
    this.patience = patience;
    this.thread = Thread.ofPlatform().name("ledger-writer").daemon().start(this::run);
  }

  /** Queues a change, or fails it at once when the queue is full or closed. */
  void submit(PendingChange<?> change) {
    if (closing) {
      change.fail(new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down."));
    } else if (!queue.offer(change)) {
      change.fail(
          new CoveException(
              ErrorCode.UNAVAILABLE, "Too many changes wait for the ledger; repeat the request."));
    }
  }

  void afterCommit(Runnable listener) {
    listeners.add(listener);
  }

  private void run() {
    var batch = new ArrayList<PendingChange<?>>();
    while (!closing || !queue.isEmpty()) {
      try {
        batch.add(queue.take());
        queue.drainTo(batch, MAX_BATCH - 1);
      } catch (InterruptedException _) {
        continue; // close() wakes us this way; the loop's condition decides
      }
      commit(batch);
      batch.clear();
    }
    disconnect();
  }

  private void commit(List<PendingChange<?>> batch) {
    try {
      file.requireInPlace();
      Session open = connected();
      sync(open, batch.stream().anyMatch(PendingChange::isDurable));
      open.script("begin immediate");
      for (PendingChange<?> change : batch) {
        applyAlone(open, change);
      }
      open.script("commit");
      batch.forEach(PendingChange::succeed);
      listeners.forEach(Runnable::run);
    } catch (SQLException e) {
      // Even when the disk is full or the connection broken, what was not committed is not true.
      disconnect();
      log.warn("The ledger could not be written, {} changes failed", batch.size(), e);
      CoveException fault = LedgerFile.unavailable(e);
      batch.forEach(change -> change.fail(fault));
    } catch (CoveException e) {
      log.warn("The ledger could not be written, {} changes failed", batch.size(), e);
      batch.forEach(change -> change.fail(e));
    }
  }

  /** A change that throws of its own accord is undone alone; the others of its batch live. */
  private static void applyAlone(Session open, PendingChange<?> change) throws SQLException {
    if (!change.take()) {
      return;
    }
    open.script("savepoint one");
    try {
      change.apply(open);
    } catch (RuntimeException e) {
      open.script("rollback to one");
      change.fail(e);
    } catch (SQLException e) {
      if (!LedgerFile.isRuleBroken(e)) {
        throw e;
      }
      open.script("rollback to one");
      change.fail(new IllegalStateException("A change breaks a rule of the schema", e));
    }
    open.script("release one");
  }

  /** A commit that syncs takes with it what earlier ones left to the kernel. */
  private void sync(Session open, boolean wanted) throws SQLException {
    if (syncing != wanted) {
      open.script("pragma synchronous = " + (wanted ? "full" : "normal"));
      syncing = wanted;
    }
  }

  private Session connected() throws SQLException {
    Session open = session;
    if (open == null) {
      open = file.connect();
      session = open;
      syncing = true;
    }
    return open;
  }

  private void disconnect() {
    Session open = session;
    session = null;
    if (open == null) {
      return;
    }
    try {
      open.close(); // rolls back what is not committed
    } catch (SQLException e) {
      log.warn("A connection to the ledger could not be closed", e);
    }
  }

  /** Writes what is queued, then ends. */
  @Override
  public void close() {
    closing = true;
    thread.interrupt();
    try {
      thread.join(patience.multipliedBy(2));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
