package dev.cove.control.event;

import dev.cove.control.event.EventPage.Gap;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.Session;
import dev.cove.control.project.Scope;
import dev.cove.model.CoveException;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happened, to be read, and waited for. Safe for use by many threads.
 *
 * <p>Every reader reads the ledger by itself, from where it stands: a slow one costs nothing but
 * its place, and learns from a {@link Gap} when what it wanted has been dropped meanwhile.
 */
public final class Events implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Events.class);

  /** The newest are kept; a trigger of the schema sees to it. */
  public static final int KEPT = 100_000;

  public static final Duration KEPT_FOR = Duration.ofDays(30);

  public static final int MAX_PAGE = 1_000;

  private static final int SCAN = 500;
  private static final int MAX_SCANS = 20;
  private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);
  private static final Duration AFTER_FAULT = Duration.ofSeconds(1);

  private final Ledger ledger;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition grown = lock.newCondition();
  private final Condition committed = lock.newCondition();
  private final Thread lookout;
  private boolean dirty = true;
  private volatile long announced;
  private volatile boolean closed;

  private Events(Ledger ledger, Clock clock) {
    this.ledger = ledger;
    this.clock = clock;
    this.announced = readNewest();
    this.lookout = Thread.ofVirtual().name("events").unstarted(this::lookOut);
  }

  public static Events open(Ledger ledger, Clock clock) {
    var events = new Events(ledger, clock);
    ledger.afterCommit(events::noteCommit);
    events.lookout.start();
    return events;
  }

  /** Writes an event that no row tells of, with what makes it true. */
  public static void write(Session session, String type, Optional<SandboxId> sandbox, String data)
      throws SQLException {
    session.run(
        "insert into event (at, type, sandbox_id, data) select micros, ?, ?, ? from now",
        type,
        sandbox.map(SandboxId::value).orElse(null),
        data);
  }

  /** The same for what is a project's and no sandbox's. */
  public static void write(Session session, String type, ProjectName project, String data)
      throws SQLException {
    session.run(
        "insert into event (at, type, data, project) select micros, ?, ?, ? from now",
        type,
        data,
        project.value());
  }

  /** Notes what is true nowhere in the ledger, some time soon. */
  public void note(String type, SandboxId sandbox, String data) {
    var _ =
        ledger
            .writeLater(session -> {
              write(session, type, Optional.of(sandbox), data);
              return true;
            })
            .exceptionally(fault -> {
              log.warn("an event {} of sandbox {} could not be written", type, sandbox, fault);
              return false;
            });
  }

  /** The id of the last event that there ever was. */
  public long newest() {
    return readNewest();
  }

  /** Those after an id that concern the caller, the oldest first. */
  public EventPage page(EventFilter filter, long after, int limit) {
    var items = new ArrayList<Event>();
    Optional<Gap> gap = Optional.empty();
    long at = after;
    for (int scan = 0; scan < MAX_SCANS; scan++) {
      List<Event> rows = rowsAfter(at);
      if (scan == 0) {
        gap = gap(after, rows);
        at = gap.map(found -> found.from() - 1).orElse(after);
      }
      for (Event event : rows) {
        if (items.size() == limit) {
          return new EventPage(items, at, true, gap);
        }
        at = event.id();
        if (Scope.covers(event.project()) && filter.matches(event)) {
          items.add(event);
        }
      }
      if (rows.size() < SCAN) {
        return new EventPage(items, at, false, gap);
      }
    }
    return new EventPage(items, at, true, gap);
  }

  private Optional<Gap> gap(long after, List<Event> rows) {
    if (!rows.isEmpty()) {
      long first = rows.getFirst().id();
      return first > after + 1 ? Optional.of(new Gap(after, first)) : Optional.empty();
    }
    long last = readNewest();
    return after == last ? Optional.empty() : Optional.of(new Gap(after, last + 1));
  }

  private List<Event> rowsAfter(long id) {
    return ledger.read(session ->
        session.query(
            """
            select id, at, type, sandbox_id, data, project from event
            where id > ? order by id limit ?
            """,
            row -> Event.read(row, 1),
            id,
            SCAN));
  }

  private long readNewest() {
    return ledger.read(session ->
        session
            .query("select seq from sqlite_sequence where name = 'event'", row -> row.getLong(1))
            .stream()
            .findFirst()
            .orElse(0L));
  }

  /** Waits until there is an event after that one, but not for longer than that. */
  public void awaitAfter(long id, Duration patience) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = patience.toNanos();
      while (announced <= id && left > 0 && !closed) {
        left = grown.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private void noteCommit() {
    lock.lock();
    try {
      dirty = true;
      committed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void lookOut() {
    long sweptAt = System.nanoTime() - BETWEEN_SWEEPS.toNanos();
    while (!closed) {
      try {
        if (System.nanoTime() - sweptAt >= BETWEEN_SWEEPS.toNanos()) {
          sweptAt = System.nanoTime();
          sweep();
        }
        if (awaitCommit()) {
          announce(readNewest());
        }
      } catch (CoveException e) {
        log.warn("events cannot be read: {}", e.getMessage());
        retryLater();
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  private boolean awaitCommit() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = BETWEEN_SWEEPS.toNanos();
      while (!dirty && left > 0) {
        left = committed.awaitNanos(left);
      }
      boolean was = dirty;
      dirty = false;
      return was;
    } finally {
      lock.unlock();
    }
  }

  private void announce(long id) {
    lock.lock();
    try {
      announced = id;
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Drops what is too old. Ids follow time, so only the oldest are looked at. */
  void sweep() {
    long oldest = Micros.of(clock.instant().minus(KEPT_FOR));
    ledger.writeAhead(session ->
        session.run(
            """
            delete from event where at < ?1
            and id < coalesce((select id from event where at >= ?1 order by id limit 1),
                              9223372036854775807)
            """,
            oldest));
  }

  private void retryLater() {
    noteCommit();
    try {
      Thread.sleep(AFTER_FAULT);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      grown.signalAll();
    } finally {
      lock.unlock();
    }
    lookout.interrupt();
  }
}
