package dev.cove.control.sandbox;

import dev.cove.control.ledger.Session;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.secret.SecretBinding;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rows that say what sandboxes may reach. They go with their sandbox. */
final class NetworkRows {
  private NetworkRows() {}

  /**
   * For a sandbox that has none yet.
   *
   * @throws CoveException CONFLICT when there is no place in the group
   */
  static void insert(Session session, SandboxId sandbox, NetworkSettings settings)
      throws SQLException {
    insertGroup(session, sandbox, settings.membership());
    NetworkSettings own = settings.in(Optional.empty());
    if (own.equals(NetworkSettings.NOTHING)) {
      return;
    }
    NetworkLimits limits = own.limits();
    session.run(
        """
        insert into sandbox_network (sandbox_id, policy, attended, connections,
                                     new_connections, name_queries, bytes_per_hour)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        sandbox.value(),
        own.policy().text(),
        own.attended() ? 1 : 0,
        limits.connections(),
        limits.newConnections(),
        limits.nameQueries(),
        limits.bytesPerHour());
    SecretRows.insert(session, sandbox, own.secrets());
  }

  static boolean replace(Session session, SandboxId sandbox, NetworkSettings settings)
      throws SQLException {
    session.run("delete from sandbox_group where sandbox_id = ?", sandbox.value());
    session.run("delete from sandbox_network where sandbox_id = ?", sandbox.value());
    session.run("delete from sandbox_secret where sandbox_id = ?", sandbox.value());
    insert(session, sandbox, settings);
    return true;
  }

  private static void insertGroup(
      Session session, SandboxId sandbox, Optional<GroupMembership> membership)
      throws SQLException {
    if (membership.isPresent()) {
      requirePlace(session, membership.get());
      session.run(
          "insert into sandbox_group (sandbox_id, name, ports) values (?, ?, ?)",
          sandbox.value(),
          membership.get().group(),
          membership.get().portsText());
    }
  }

  /** Two of one name would leave it to chance who is reached by it. */
  private static void requirePlace(Session session, GroupMembership wanted) throws SQLException {
    List<String> others =
        session.query(
            """
            select s.name from sandbox_group g join sandbox s on s.id = g.sandbox_id
            where g.name = ? and s.project = ? and s.state <> 'deleted'
            """,
            row -> row.getString(1),
            wanted.group(),
            wanted.project().value());
    if (others.size() >= GroupMembership.MAX_MEMBERS) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "Group %s has %d members, which is as many as there may be."
              .formatted(wanted.group(), others.size()));
    }
    Set<DomainName> taken = new HashSet<>();
    others.forEach(other -> taken.addAll(GroupMembership.hosts(other)));
    taken.retainAll(GroupMembership.hosts(wanted.member()));
    if (!taken.isEmpty()) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "Another sandbox of group %s is reached by the same name; give this one another."
              .formatted(wanted.group()));
    }
  }

  static Map<String, NetworkSettings> bySandbox(Session session) throws SQLException {
    Map<String, List<SecretBinding>> secrets = SecretRows.bySandbox(session);
    var all = new HashMap<String, NetworkSettings>();
    session.query(
        """
        select sandbox_id, policy, attended, connections, new_connections, name_queries,
               bytes_per_hour
        from sandbox_network
        """,
        row ->
            all.put(
                row.getString(1),
                new NetworkSettings(
                    NetworkPolicy.parse(row.getString(2)),
                    row.getInt(3) != 0,
                    secrets.getOrDefault(row.getString(1), List.of()),
                    new NetworkLimits(row.getInt(4), row.getInt(5), row.getInt(6), row.getLong(7)),
                    Optional.empty())));
    session.query(
        "select sandbox_id, name, ports from sandbox_group",
        row -> {
          var membership =
              new GroupMembership(row.getString(2), GroupMembership.portsOf(row.getString(3)));
          return all.merge(
              row.getString(1),
              NetworkSettings.NOTHING.in(Optional.of(membership)),
              (own, _) -> own.in(Optional.of(membership)));
        });
    return all;
  }
}
