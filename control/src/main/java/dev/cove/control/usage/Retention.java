package dev.cove.control.usage;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Session;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Keeps usage from growing without end and loses no sum: hours become days, and when those are old
 * too, what the sandboxes of a project used on a day becomes one row.
 *
 * <p>A few rows at a time: whatever else is to be written does not wait for all of it.
 *
 * @param hours for how long usage is known by the hour
 * @param sandboxes for how long by sandbox and label
 * @param mostRows beyond which what is oldest is no longer known by sandbox, however old it is
 */
public record Retention(Duration hours, Duration sandboxes, int mostRows) {
  public static final int MOST_ROWS = 2_000_000;
  private static final int AT_ONCE = 500;
  private static final long DAY = 86_400;

  /** One row that is to become part of another. */
  private record Old(String sandbox, long start, String project, Amounts amounts) {}

  /** Does all that is due. */
  public void apply(Ledger ledger, Instant now) {
    long hourly = now.minus(hours).getEpochSecond();
    long single = now.minus(sandboxes).getEpochSecond();
    while (ledger.writeAhead(session -> foldHours(session, hourly)) == AT_ONCE) {
      Thread.onSpinWait();
    }
    while (ledger.writeAhead(session -> foldSandboxes(session, single)) == AT_ONCE) {
      Thread.onSpinWait();
    }
    while (count(ledger) > mostRows) {
      ledger.writeAhead(session -> foldSandboxes(session, Long.MAX_VALUE));
    }
    ledger.writeAhead(Retention::forgetNames);
  }

  private static long count(Ledger ledger) {
    return ledger
        .read(session ->
            session.query(
                "select count(*) from usage where sandbox_id <> ''", row -> row.getLong(1)))
        .getFirst();
  }

  private static int foldHours(Session session, long before) throws SQLException {
    List<Old> old =
        find(
            session,
            """
            select sandbox_id, start, project, cpu_micros, memory_kib_seconds, disk_kib_seconds,
                   sent_bytes, received_bytes, running_millis, paused_millis, stopped_millis
            from usage where start < ? and seconds = 3600 order by start limit ?
            """,
            before / DAY * DAY);
    for (Old row : old) {
      move(session, row, row.sandbox(), Math.floorDiv(row.start(), DAY) * DAY);
    }
    return old.size();
  }

  private static int foldSandboxes(Session session, long before) throws SQLException {
    List<Old> old =
        find(
            session,
            """
            select sandbox_id, start, project, cpu_micros, memory_kib_seconds, disk_kib_seconds,
                   sent_bytes, received_bytes, running_millis, paused_millis, stopped_millis
            from usage where start < ? and sandbox_id <> '' order by start limit ?
            """,
            before);
    for (Old row : old) {
      move(session, row, "", Math.floorDiv(row.start(), DAY) * DAY);
    }
    return old.size();
  }

  private static List<Old> find(Session session, String sql, long before) throws SQLException {
    return session.query(
        sql,
        row ->
            new Old(
                row.getString(1), row.getLong(2), row.getString(3), AccountRows.amounts(row, 4)),
        before,
        AT_ONCE);
  }

  private static void move(Session session, Old row, String sandbox, long day) throws SQLException {
    session.run(
        "delete from usage where sandbox_id = ? and start = ? and project = ?",
        row.sandbox(),
        row.start(),
        row.project());
    AccountRows.add(session, sandbox, row.project(), row.amounts(), day, DAY);
  }

  /** Of sandboxes that are gone and of which nothing is left to be told. */
  private static int forgetNames(Session session) throws SQLException {
    return session.run(
        """
        delete from metered
        where not exists (select 1 from usage u where u.sandbox_id = metered.sandbox_id)
          and not exists (select 1 from sandbox s where s.id = metered.sandbox_id)
        """);
  }
}
