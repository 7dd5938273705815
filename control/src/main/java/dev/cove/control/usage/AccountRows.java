package dev.cove.control.usage;

import dev.cove.control.ledger.Session;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.meter.Counter;
import dev.cove.model.meter.Moment;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Accounts and what was added to them, as rows. Called inside the transactions of others. */
final class AccountRows {
  static final long HOUR = 3_600;

  private AccountRows() {}

  static void open(Session session, SandboxId id, Owner owner, Account account)
      throws SQLException {
    put(session, id, account);
    session.run(
        "insert or replace into metered (sandbox_id, project, name) values (?, ?, ?)",
        id.value(),
        owner.project(),
        owner.name());
    label(session, id, owner.labels());
  }

  static void label(Session session, SandboxId id, Map<String, String> labels) throws SQLException {
    session.run("delete from metered_label where sandbox_id = ?", id.value());
    for (var label : labels.entrySet()) {
      session.run(
          "insert into metered_label (sandbox_id, name, value) values (?, ?, ?)",
          id.value(),
          label.getKey(),
          label.getValue());
    }
  }

  /** Of one that never came to be. */
  static void forget(Session session, SandboxId id) throws SQLException {
    session.run("delete from usage where sandbox_id = ?", id.value());
    session.run("delete from metered where sandbox_id = ?", id.value());
  }

  static Optional<Account> find(Session session, SandboxId id) throws SQLException {
    return session
        .query(
            """
            select phase, until_boot, until_nanos, memory_bytes, disk_bytes,
                   cpu_boot, cpu_since, cpu_micros, sent_boot, sent_since, sent_bytes,
                   received_boot, received_since, received_bytes
            from meter where sandbox_id = ?
            """,
            AccountRows::account,
            id.value())
        .stream()
        .findFirst();
  }

  /** Writes an account down together with what it has been added to. */
  static void put(Session session, SandboxId id, Account.Step step, long hour) throws SQLException {
    put(session, id, step.after());
    Amounts added = step.added();
    if (!added.equals(Amounts.NOTHING)) {
      add(session, id.value(), projectOf(session, id), added, hour, HOUR);
      BudgetRows.spend(session, id, added);
    }
  }

  static Map<ProjectName, Long> egressSince(Session session, long start) throws SQLException {
    return session
        .query(
            """
            select project, sum(sent_bytes + received_bytes) from usage
            where start >= ? group by project
            """,
            row -> Map.entry(new ProjectName(row.getString(1)), row.getLong(2)),
            start)
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static String projectOf(Session session, SandboxId id) throws SQLException {
    return session
        .query(
            "select project from metered where sandbox_id = ?", row -> row.getString(1), id.value())
        .getFirst();
  }

  /**
   * @param sandbox empty for all of a project together
   */
  static void add(
      Session session, String sandbox, String project, Amounts added, long start, long seconds)
      throws SQLException {
    session.run(
        """
        insert into usage (sandbox_id, start, seconds, project, cpu_micros, memory_kib_seconds,
                           disk_kib_seconds, sent_bytes, received_bytes, running_millis,
                           paused_millis, stopped_millis)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict do update set
          seconds = max(seconds, excluded.seconds),
          cpu_micros = cpu_micros + excluded.cpu_micros,
          memory_kib_seconds = memory_kib_seconds + excluded.memory_kib_seconds,
          disk_kib_seconds = disk_kib_seconds + excluded.disk_kib_seconds,
          sent_bytes = sent_bytes + excluded.sent_bytes,
          received_bytes = received_bytes + excluded.received_bytes,
          running_millis = running_millis + excluded.running_millis,
          paused_millis = paused_millis + excluded.paused_millis,
          stopped_millis = stopped_millis + excluded.stopped_millis
        """,
        sandbox,
        start,
        seconds,
        project,
        added.cpuMicros(),
        added.memoryKibSeconds(),
        added.diskKibSeconds(),
        added.sentBytes(),
        added.receivedBytes(),
        added.runningMillis(),
        added.pausedMillis(),
        added.stoppedMillis());
  }

  private static void put(Session session, SandboxId id, Account account) throws SQLException {
    session.run(
        """
        insert or replace into meter (
          sandbox_id, phase, until_boot, until_nanos, memory_bytes, disk_bytes,
          cpu_boot, cpu_since, cpu_micros, sent_boot, sent_since, sent_bytes,
          received_boot, received_since, received_bytes)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        id.value(),
        account.phase().word(),
        boot(account.until()),
        nanos(account.until()),
        number(account.memoryBytes()),
        number(account.diskBytes()),
        boot(account.cpuMicros().map(Counter::since)),
        nanos(account.cpuMicros().map(Counter::since)),
        value(account.cpuMicros()),
        boot(account.sentBytes().map(Counter::since)),
        nanos(account.sentBytes().map(Counter::since)),
        value(account.sentBytes()),
        boot(account.receivedBytes().map(Counter::since)),
        nanos(account.receivedBytes().map(Counter::since)),
        value(account.receivedBytes()));
  }

  private static @Nullable String boot(Optional<Moment> moment) {
    return moment.map(Moment::boot).orElse(null);
  }

  private static @Nullable Long nanos(Optional<Moment> moment) {
    return moment.map(Moment::nanos).orElse(null);
  }

  private static @Nullable Long value(Optional<Counter> counter) {
    return counter.map(Counter::value).orElse(null);
  }

  private static @Nullable Long number(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }

  private static Account account(ResultSet row) throws SQLException {
    return new Account(
        Phase.ofWord(row.getString(1)),
        moment(row, 2),
        number(row, 4),
        number(row, 5),
        counter(row, 6),
        counter(row, 9),
        counter(row, 12));
  }

  private static Optional<Moment> moment(ResultSet row, int column) throws SQLException {
    String boot = row.getString(column);
    return boot == null ? Optional.empty() : Optional.of(new Moment(boot, row.getLong(column + 1)));
  }

  private static Optional<Counter> counter(ResultSet row, int column) throws SQLException {
    long value = row.getLong(column + 2);
    return moment(row, column).map(since -> new Counter(since, value));
  }

  /** From the column of processor time on, in the order of the table. */
  static Amounts amounts(ResultSet row, int column) throws SQLException {
    return new Amounts(
        row.getLong(column),
        row.getLong(column + 1),
        row.getLong(column + 2),
        row.getLong(column + 3),
        row.getLong(column + 4),
        row.getLong(column + 5),
        row.getLong(column + 6),
        row.getLong(column + 7));
  }

  static OptionalLong number(ResultSet row, int column) throws SQLException {
    long number = row.getLong(column);
    return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(number);
  }
}
