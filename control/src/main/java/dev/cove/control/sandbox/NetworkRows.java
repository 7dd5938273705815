package dev.cove.control.sandbox;

import dev.cove.control.ledger.Session;
import dev.cove.model.SandboxId;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.secret.SecretBinding;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rows that say what sandboxes may reach. They go with their sandbox. */
final class NetworkRows {
  private NetworkRows() {}

  /** For a sandbox that has none yet. */
  static void insert(Session session, SandboxId sandbox, NetworkSettings settings)
      throws SQLException {
    if (settings.equals(NetworkSettings.NOTHING)) {
      return;
    }
    session.run(
        "insert into sandbox_network (sandbox_id, policy, attended) values (?, ?, ?)",
        sandbox.value(),
        settings.policy().text(),
        settings.attended() ? 1 : 0);
    SecretRows.insert(session, sandbox, settings.secrets());
  }

  static boolean replace(Session session, SandboxId sandbox, NetworkSettings settings)
      throws SQLException {
    session.run("delete from sandbox_network where sandbox_id = ?", sandbox.value());
    session.run("delete from sandbox_secret where sandbox_id = ?", sandbox.value());
    insert(session, sandbox, settings);
    return true;
  }

  static Map<String, NetworkSettings> bySandbox(Session session) throws SQLException {
    Map<String, List<SecretBinding>> secrets = SecretRows.bySandbox(session);
    var all = new HashMap<String, NetworkSettings>();
    session.query(
        "select sandbox_id, policy, attended from sandbox_network",
        row ->
            all.put(
                row.getString(1),
                new NetworkSettings(
                    NetworkPolicy.parse(row.getString(2)),
                    row.getInt(3) != 0,
                    secrets.getOrDefault(row.getString(1), List.of()))));
    return all;
  }
}
