package dev.cove.control.ledger;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What must be true, on disk. Safe for use by many threads.
 *
 * <p>At most one process may have a ledger open for writing; the server's lock on its home sees to
 * that, and SQLite's own locks keep a second one from doing damage.
 */
public final class Ledger implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int READERS = 2;

  private final LedgerFile file;
  private final LedgerWriter writer;
  private final Duration patience;
  private final BlockingQueue<Session> readers = new ArrayBlockingQueue<>(READERS);

  private final AtomicBoolean closed = new AtomicBoolean();

  private Ledger(LedgerFile file, Duration patience) throws SQLException {
    this.file = file;
    for (int i = 0; i < READERS; i++) {
      Session reader = file.connect();
      reader.script("pragma query_only = true");
      readers.add(reader);
    }
    this.patience = patience;
    this.writer = new LedgerWriter(file, patience);
  }

  /**
   * Opens the ledger, making or upgrading it first.
   *
   * @throws LedgerUnusableException when it is damaged, too new, or not a ledger
   */
  public static Ledger open(Path file) {
    return open(file, PATIENCE);
  }

  static Ledger open(Path file, Duration patience) {
    LedgerFile prepared = LedgerFile.prepare(file, patience);
    try {
      return new Ledger(prepared, patience);
    } catch (SQLException e) {
      throw new LedgerUnusableException("Cannot open the ledger %s: %s".formatted(file, e), e);
    }
  }

  /** Makes a change and returns when it is durable. */
  public <T> T write(Change<T> change) {
    var pending = new PendingChange<>(change, true);
    writer.submit(pending);
    return pending.await(patience.multipliedBy(2));
  }

  /**
   * Makes a change that survives this process but perhaps not the machine, and so costs no wait for
   * the disk. For intentions: what they announce would not survive the machine either.
   */
  public <T> T writeAhead(Change<T> change) {
    var pending = new PendingChange<>(change, false);
    writer.submit(pending);
    return pending.await(patience.multipliedBy(2));
  }

  /** Makes a change some time soon. The future completes when it is durable. */
  public <T> CompletableFuture<T> writeLater(Change<T> change) {
    var pending = new PendingChange<>(change, true);
    writer.submit(pending);
    return pending.outcome();
  }

  /** How many changes wait to be made. */
  public int queued() {
    return writer.queued();
  }

  /** Tells, on the writer's thread, that something was written. Must not wait. */
  public void afterCommit(Runnable listener) {
    writer.afterCommit(listener);
  }

  /** Why it cannot be used at the moment, in a sentence; empty when all is well. */
  public Optional<String> fault() {
    return writer.fault();
  }

  /** Reads what is durable, beside the writer. */
  public <T> T read(Change<T> question) {
    Session reader = borrow();
    try {
      return question.apply(reader);
    } catch (SQLException e) {
      CoveException fault = LedgerFile.unavailable(e);
      writer.noteFault(fault);
      throw fault;
    } finally {
      readers.add(reader);
    }
  }

  /** Writes all that is durable now to another file, which must not be there; nobody waits. */
  public void copyTo(Path target) {
    try (Session session = file.connect()) {
      session.run("vacuum into ?", target.toString());
    } catch (SQLException e) {
      throw LedgerFile.unavailable(e);
    }
  }

  private Session borrow() {
    try {
      Session reader = readers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
      if (reader != null) {
        return reader;
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    throw new CoveException(ErrorCode.UNAVAILABLE, "The ledger is busy; repeat the request.");
  }

  /** Writes what is queued, then lets go of the file. May be called twice. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    writer.close();
    for (int i = 0; i < READERS; i++) {
      Session reader = borrow();
      try {
        reader.close();
      } catch (SQLException e) {
        throw LedgerFile.unavailable(e);
      }
    }
  }
}
