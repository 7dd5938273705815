package dev.cove.control.usage;

import dev.cove.control.ledger.Session;
import dev.cove.control.usage.Spending.Level;
import dev.cove.model.SandboxId;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Budgets as rows, each with the sums of its period, which grow with the usage itself. */
final class BudgetRows {
  /** A budget, and what its owner has been told of in this period. */
  record Told(Spending spending, Level told) {}

  private BudgetRows() {}

  static List<Told> all(Session session, Optional<Prices> prices) throws SQLException {
    return session.query(
        """
        select kind, owner, period, limit_cpu_seconds, limit_egress_bytes, limit_cost,
               warn_percent, began, told, cpu_micros, memory_kib_seconds, disk_kib_seconds,
               sent_bytes, received_bytes, running_millis, paused_millis, stopped_millis
        from budget
        """,
        row -> told(row, prices));
  }

  /** Sets a budget, with what has been used of it in this period so far. */
  static void put(Session session, BudgetHolder holder, Budget budget, Instant now)
      throws SQLException {
    long began = budget.period().startOf(now).getEpochSecond();
    session.run(
        """
        insert or replace into budget (
          kind, owner, period, limit_cpu_seconds, limit_egress_bytes, limit_cost, warn_percent,
          began, told, cpu_micros, memory_kib_seconds, disk_kib_seconds, sent_bytes,
          received_bytes, running_millis, paused_millis, stopped_millis)
        select ?, ?, ?, ?, ?, ?, ?, ?, 'within', coalesce(sum(cpu_micros), 0),
               coalesce(sum(memory_kib_seconds), 0), coalesce(sum(disk_kib_seconds), 0),
               coalesce(sum(sent_bytes), 0), coalesce(sum(received_bytes), 0),
               coalesce(sum(running_millis), 0), coalesce(sum(paused_millis), 0),
               coalesce(sum(stopped_millis), 0)
        from usage where start >= ? and case ? when 'sandbox' then sandbox_id else project end = ?
        """,
        holder.kind().publicName(),
        holder.name(),
        budget.period().publicName(),
        number(budget.cpuSeconds()),
        number(budget.egressBytes()),
        budget.cost().map(BigDecimal::toPlainString).orElse(null),
        budget.warnPercent(),
        began,
        began,
        holder.kind().publicName(),
        holder.name());
  }

  static int remove(Session session, BudgetHolder holder) throws SQLException {
    return session.run(
        "delete from budget where kind = ? and owner = ?",
        holder.kind().publicName(),
        holder.name());
  }

  /** Takes what a sandbox has used from its budget and from that of its project. */
  static void spend(Session session, SandboxId id, Amounts added) throws SQLException {
    session.run(
        """
        update budget set
          cpu_micros = cpu_micros + ?,
          memory_kib_seconds = memory_kib_seconds + ?,
          disk_kib_seconds = disk_kib_seconds + ?,
          sent_bytes = sent_bytes + ?,
          received_bytes = received_bytes + ?,
          running_millis = running_millis + ?,
          paused_millis = paused_millis + ?,
          stopped_millis = stopped_millis + ?
        where kind = 'sandbox' and owner = ?
           or kind = 'project' and owner = (select project from metered where sandbox_id = ?)
        """,
        added.cpuMicros(),
        added.memoryKibSeconds(),
        added.diskKibSeconds(),
        added.sentBytes(),
        added.receivedBytes(),
        added.runningMillis(),
        added.pausedMillis(),
        added.stoppedMillis(),
        id.value(),
        id.value());
  }

  /** Begins the next period where one is over. It never goes back, as a clock may. */
  static void turn(Session session, Budget.Period period, Instant now) throws SQLException {
    long began = period.startOf(now).getEpochSecond();
    session.run(
        """
        update budget set began = ?, told = 'within', cpu_micros = 0, memory_kib_seconds = 0,
          disk_kib_seconds = 0, sent_bytes = 0, received_bytes = 0, running_millis = 0,
          paused_millis = 0, stopped_millis = 0
        where period = ? and began < ?
        """,
        began,
        period.publicName(),
        began);
  }

  /** Notes what an owner is told of, once in each period. */
  static boolean tell(Session session, BudgetHolder holder, Level level) throws SQLException {
    String word = level.publicName();
    return session.run(
            "update budget set told = ? where kind = ? and owner = ? and told <> ?",
            word,
            holder.kind().publicName(),
            holder.name(),
            word)
        > 0;
  }

  private static Told told(ResultSet row, Optional<Prices> prices) throws SQLException {
    var holder =
        new BudgetHolder(
            BudgetHolder.Kind.valueOf(row.getString(1).toUpperCase(Locale.ROOT)), row.getString(2));
    var budget =
        new Budget(
            Budget.Period.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
            AccountRows.number(row, 4),
            AccountRows.number(row, 5),
            Optional.ofNullable(row.getString(6)).map(BigDecimal::new),
            row.getInt(7));
    Amounts spent = AccountRows.amounts(row, 10);
    return new Told(
        new Spending(
            holder,
            budget,
            Instant.ofEpochSecond(row.getLong(8)),
            spent,
            prices.map(list -> list.costOf(spent))),
        Level.valueOf(row.getString(9).toUpperCase(Locale.ROOT)));
  }

  private static @Nullable Long number(OptionalLong number) {
    return number.isPresent() ? number.getAsLong() : null;
  }
}
