package dev.cove.control.port;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The rows that say which ports are shared. They go with their sandbox. */
final class PortLedger {
  private final Ledger ledger;

  PortLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  List<StoredPort> all() {
    return ledger.read(session ->
        session.query(
            """
            select sandbox_id, port, access, created_at, expires_at, secret_hash, link_key
            from shared_port
            where sandbox_id in (select id from sandbox where state <> 'deleted')
            """,
            PortLedger::stored));
  }

  /**
   * @throws CoveException NOT_FOUND when the sandbox has gone meanwhile
   */
  void put(StoredPort stored) {
    SharedPort port = stored.port();
    int written =
        ledger.write(session ->
            session.run(
                """
                insert or replace into shared_port
                  (sandbox_id, port, access, created_at, expires_at, secret_hash, link_key)
                select id, ?, ?, ?, ?, ?, ? from sandbox where id = ? and state <> 'deleted'
                """,
                port.address().port(),
                port.access().publicName(),
                Micros.of(port.createdAt()),
                port.expiresAt().map(Micros::of).orElse(null),
                stored.secretHash(),
                stored.linkKey(),
                port.address().sandbox().value()));
    if (written == 0) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no such sandbox.");
    }
  }

  void remove(List<PortAddress> addresses) {
    ledger.write(session -> {
      for (PortAddress address : addresses) {
        session.run(
            "delete from shared_port where sandbox_id = ? and port = ?",
            address.sandbox().value(),
            address.port());
      }
      return true;
    });
  }

  private static StoredPort stored(ResultSet row) throws SQLException {
    var address = new PortAddress(new SandboxId(row.getString(1)), row.getInt(2));
    String name = row.getString(3);
    PortAccess access =
        PortAccess.ofPublicName(name)
            .orElseThrow(() -> new SQLException("No kind of access is called " + name));
    Instant createdAt = Micros.toInstant(row.getLong(4));
    long end = row.getLong(5);
    Optional<Instant> expiresAt =
        row.wasNull() ? Optional.empty() : Optional.of(Micros.toInstant(end));
    byte[] hash = row.getBytes(6);
    return new StoredPort(
        new SharedPort(address, access, createdAt, expiresAt),
        hash == null ? new byte[0] : hash,
        row.getBytes(7));
  }
}
