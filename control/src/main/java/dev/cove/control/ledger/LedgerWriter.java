package dev.cove.control.ledger;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.observe.Step;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
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
  private static final Duration PROBE = Duration.ofSeconds(1);

  private final LedgerFile file;
  private final Duration patience;
  private final BlockingQueue<PendingChange<?>> queue = new ArrayBlockingQueue<>(MAX_QUEUED);
  private final Thread thread;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile boolean closing;
  private volatile @Nullable CoveException fault;
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

  int queued() {
    return queue.size();
  }

  void afterCommit(Runnable listener) {
    listeners.add(listener);
  }

  private void run() {
    var batch = new ArrayList<PendingChange<?>>();
    while (!closing || !queue.isEmpty()) {
      try {
        PendingChange<?> first = fault == null ? queue.take() : pollWhileUnwell();
        if (first == null) {
          commit(List.of());
          continue;
        }
        batch.add(first);
        queue.drainTo(batch, MAX_BATCH - 1);
      } catch (InterruptedException _) {
        continue; // close() wakes us this way; the loop's condition decides
      }
      commit(batch);
      batch.clear();
    }
    disconnect();
  }

  /** Nothing for a while: time to see whether the cause has gone, though nobody wants to write. */
  private @Nullable PendingChange<?> pollWhileUnwell() throws InterruptedException {
    return queue.poll(PROBE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Why nothing can be written; empty when all is well, as far as is known. */
  Optional<String> fault() {
    CoveException now = fault;
    return now == null ? Optional.empty() : Optional.of(String.valueOf(now.getMessage()));
  }

  /** Keeps in mind what is wrong, and says so when it was not known before. */
  void noteFault(CoveException now) {
    CoveException before = fault;
    fault = now;
    if (before == null || !Objects.equals(before.getMessage(), now.getMessage())) {
      log.warn("{}", now.getMessage(), now);
    }
    if (before == null && !thread.equals(Thread.currentThread())) {
      thread.interrupt(); // it may wait for a change that nobody wants to make
    }
  }

  private void noteWell() {
    if (fault != null) {
      fault = null;
      log.info("The ledger is written again");
    }
  }

  private void commit(List<PendingChange<?>> batch) {
    long start = System.nanoTime();
    try {
      file.requireInPlace();
      if (fault != null) {
        disconnect(); // what this connection remembers of the file may be better than the file
      }
      Session open = connected();
      sync(open, batch.stream().anyMatch(PendingChange::isDurable));
      if (fault != null) {
        file.probe(open);
      }
      open.script("begin immediate");
      for (PendingChange<?> change : batch) {
        applyAlone(open, change);
      }
      open.script("commit");
      Step.COMMIT.durations().add(System.nanoTime() - start);
      noteWell();
      batch.forEach(PendingChange::succeed);
      listeners.forEach(Runnable::run);
    } catch (SQLException e) {
      // Even when the disk is full or the connection broken, what was not committed is not true.
      disconnect();
      failAll(batch, LedgerFile.unavailable(e));
    } catch (CoveException e) {
      failAll(batch, e);
    }
  }

  private void failAll(List<PendingChange<?>> batch, CoveException now) {
    noteFault(now);
    batch.forEach(change -> change.fail(now));
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
