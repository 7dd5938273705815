package dev.cove.control.sandbox;

import dev.cove.control.ledger.LifeText;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.Session;
import dev.cove.model.life.LifeRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The rows that say what happens to sandboxes by themselves. */
final class LifeRows {
  private LifeRows() {}

  /** What the ledger says of the life of one sandbox. */
  record Life(LifeRules rules, Optional<Instant> endsAt) {
    static final Life NOTHING = new Life(LifeRules.SILENT, Optional.empty());
  }

  /** Only of those of which something is said. */
  static Map<String, Life> bySandbox(Session session) throws SQLException {
    var lives = new HashMap<String, Life>();
    session.query(
        "select sandbox_id, rules, ends_at from sandbox_life",
        row -> lives.put(row.getString(1), life(row)));
    return lives;
  }

  private static Life life(ResultSet row) throws SQLException {
    long end = row.getLong(3);
    Optional<Instant> endsAt =
        row.wasNull() ? Optional.empty() : Optional.of(Micros.toInstant(end));
    return new Life(LifeText.decode(row.getString(2)), endsAt);
  }

  static int put(Session session, Sandbox sandbox) throws SQLException {
    String id = sandbox.id().value();
    var life = new Life(sandbox.spec().life(), sandbox.endsAt());
    if (life.equals(Life.NOTHING)) {
      return session.run("delete from sandbox_life where sandbox_id = ?", id);
    }
    return session.run(
        "insert or replace into sandbox_life (sandbox_id, rules, ends_at) values (?, ?, ?)",
        id,
        LifeText.encode(life.rules()),
        life.endsAt().map(Micros::of).orElse(null));
  }
}
