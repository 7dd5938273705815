package dev.cove.control.key;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.project.Projects;
import dev.cove.model.ProjectName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The rows that say which keys there are. */
final class KeyLedger {
  private final Ledger ledger;

  KeyLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  List<StoredKey> all() {
    return ledger.read(session ->
        session.query(
            """
            select id, name, last4, created_at, last_used_at, revoked_at, hash, project
            from api_key
            """,
            KeyLedger::stored));
  }

  void insert(StoredKey stored) {
    ApiKey key = stored.key();
    ledger.write(session -> {
      if (key.project().isPresent()) {
        Projects.requireThere(session, key.project().get());
      }
      return session.run(
          """
          insert into api_key (id, name, hash, last4, created_at, project)
          values (?, ?, ?, ?, ?, ?)
          """,
          key.id(),
          key.name(),
          stored.hash(),
          key.last4(),
          Micros.of(key.createdAt()),
          key.project().map(ProjectName::value).orElse(null));
    });
  }

  void revoke(String id, Instant at) {
    ledger.write(session ->
        session.run("update api_key set revoked_at = ? where id = ?", Micros.of(at), id));
  }

  void delete(String id) {
    ledger.write(session -> session.run("delete from api_key where id = ?", id));
  }

  CompletableFuture<Integer> noteUse(String id, Instant at) {
    return ledger.writeLater(session ->
        session.run("update api_key set last_used_at = ? where id = ?", Micros.of(at), id));
  }

  private static StoredKey stored(ResultSet row) throws SQLException {
    var key =
        new ApiKey(
            row.getString(1),
            row.getString(2),
            Optional.ofNullable(row.getString(8)).map(ProjectName::new),
            row.getString(3),
            Micros.toInstant(row.getLong(4)),
            time(row, 5),
            time(row, 6));
    return new StoredKey(key, row.getBytes(7));
  }

  private static Optional<Instant> time(ResultSet row, int column) throws SQLException {
    long micros = row.getLong(column);
    return row.wasNull() ? Optional.empty() : Optional.of(Micros.toInstant(micros));
  }
}
