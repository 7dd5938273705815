package dev.cove.control.checkpoint;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Session;
import dev.cove.model.SandboxId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The rows that say which sandboxes have rules of their own. They go with their sandbox. */
public final class RulesLedger {
  private final Ledger ledger;

  RulesLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  void put(SandboxId sandbox, CheckpointRules rules) {
    ledger.write(session -> put(session, sandbox, rules));
  }

  /** For a sandbox whose row is written in the same transaction. */
  public static int put(Session session, SandboxId sandbox, CheckpointRules rules)
      throws SQLException {
    return session.run(
        """
        insert or replace into checkpoint_rules
          (sandbox_id, before_exec, every_minutes, keep_automatic, max_age_hours, from_inside)
        values (?, ?, ?, ?, ?, ?)
        """,
        sandbox.value(),
        rules.beforeExec() ? 1 : 0,
        column(rules.everyMinutes()),
        rules.keepAutomatic(),
        column(rules.maxAgeHours()),
        rules.fromInside() ? 1 : 0);
  }

  private static @Nullable Integer column(OptionalInt value) {
    return value.isPresent() ? value.getAsInt() : null;
  }

  Map<SandboxId, CheckpointRules> all() {
    var all = new HashMap<SandboxId, CheckpointRules>();
    ledger.read(session ->
        session.query(
            """
            select sandbox_id, before_exec, keep_automatic, every_minutes, max_age_hours,
                   from_inside
            from checkpoint_rules
            """,
            row -> {
              var rules =
                  new CheckpointRules(
                      row.getInt(2) != 0,
                      number(row, 4),
                      row.getInt(3),
                      number(row, 5),
                      row.getInt(6) != 0);
              all.put(new SandboxId(row.getString(1)), rules);
              return rules;
            }));
    return all;
  }

  private static OptionalInt number(ResultSet row, int column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? OptionalInt.empty() : OptionalInt.of(value);
  }
}
