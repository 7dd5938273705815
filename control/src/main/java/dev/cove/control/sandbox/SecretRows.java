package dev.cove.control.sandbox;

import dev.cove.control.ledger.OwnedRows;
import dev.cove.control.ledger.Session;
import dev.cove.control.ledger.Words;
import dev.cove.model.SandboxId;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.model.secret.SecretPlace;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The rows that say which secrets go out of sandboxes. They go with their sandbox. */
final class SecretRows {
  private SecretRows() {}

  static void insert(Session session, SandboxId sandbox, List<SecretBinding> bindings)
      throws SQLException {
    for (int i = 0; i < bindings.size(); i++) {
      SecretBinding binding = bindings.get(i);
      session.run(
          """
          insert into sandbox_secret (sandbox_id, position, secret, hosts, place, methods, paths,
                                      added, plain_http, env)
          values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
          sandbox.value(),
          i,
          binding.secret().value(),
          hosts(binding),
          binding.place().toString(),
          methods(binding),
          Words.encode(binding.paths()),
          binding.added() ? 1 : 0,
          binding.plainHttp() ? 1 : 0,
          binding.env());
    }
  }

  static Map<String, List<SecretBinding>> bySandbox(Session session) throws SQLException {
    return OwnedRows.lists(
        session,
        """
        select sandbox_id, secret, hosts, place, methods, paths, added, plain_http, env
        from sandbox_secret order by sandbox_id, position
        """,
        SecretRows::binding);
  }

  private static SecretBinding binding(ResultSet row) throws SQLException {
    return new SecretBinding(
        new SecretName(row.getString(2)),
        Words.decode(row.getString(3)).stream().map(NetworkRule::of).toList(),
        SecretPlace.of(row.getString(4)),
        Set.copyOf(Words.decode(row.getString(5))),
        Words.decode(row.getString(6)),
        row.getInt(7) != 0,
        row.getInt(8) != 0,
        row.getString(9));
  }

  /** All of a binding as one text; equal for equal ones only. */
  static String text(SecretBinding binding) {
    return Words.encode(
        List.of(
            binding.secret().value(),
            hosts(binding),
            binding.place().toString(),
            methods(binding),
            Words.encode(binding.paths()),
            Boolean.toString(binding.added()),
            Boolean.toString(binding.plainHttp()),
            binding.env()));
  }

  private static String hosts(SecretBinding binding) {
    return Words.encode(binding.hosts().stream().map(NetworkRule::hostAndPorts).toList());
  }

  private static String methods(SecretBinding binding) {
    return Words.encode(binding.methods().stream().sorted().toList());
  }
}
