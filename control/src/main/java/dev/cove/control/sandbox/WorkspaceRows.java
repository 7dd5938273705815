package dev.cove.control.sandbox;

import dev.cove.control.ledger.OwnedRows;
import dev.cove.control.ledger.Session;
import dev.cove.control.ledger.Words;
import dev.cove.model.SandboxId;
import dev.cove.model.Workspace;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** The rows that say which folders of the host sandboxes have. They go with their sandbox. */
final class WorkspaceRows {
  private WorkspaceRows() {}

  static void insert(Session session, SandboxId sandbox, List<Workspace> workspaces)
      throws SQLException {
    for (int i = 0; i < workspaces.size(); i++) {
      Workspace workspace = workspaces.get(i);
      session.run(
          """
          insert into sandbox_workspace (sandbox_id, position, path, target, read_only, hide, show)
          values (?, ?, ?, ?, ?, ?, ?)
          """,
          sandbox.value(),
          i,
          workspace.path(),
          workspace.target(),
          workspace.readOnly() ? 1 : 0,
          Words.encode(workspace.hide()),
          Words.encode(workspace.show()));
    }
  }

  static Map<String, List<Workspace>> bySandbox(Session session) throws SQLException {
    return OwnedRows.lists(
        session,
        """
        select sandbox_id, path, target, read_only, hide, show
        from sandbox_workspace order by sandbox_id, position
        """,
        row ->
            new Workspace(
                row.getString(2),
                row.getString(3),
                row.getInt(4) != 0,
                Words.decode(row.getString(5)),
                Words.decode(row.getString(6))));
  }
}
