package dev.cove.control.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;

/**
 * Brings the schema to the newest version, one script per version, all in one transaction.
 *
 * <p>The version is SQLite's own {@code user_version}. Scripts that were released are never edited;
 * a change is a new script at the end of the list.
 */
final class Migrations {
  private static final List<String> SCRIPTS =
      List.of(
          "V1__ledger.sql",
          "V2__checkpoints.sql",
          "V3__templates.sql",
          "V4__checkpoint_rules.sql",
          "V5__volumes.sql",
          "V6__checkpoints_from_inside.sql",
          "V7__rebuilds.sql",
          "V8__network.sql",
          "V9__ports.sql",
          "V10__secrets.sql",
          "V11__groups.sql",
          "V12__lifecycle.sql",
          "V13__events.sql",
          "V14__usage.sql",
          "V15__lives.sql",
          "V16__services.sql",
          "V17__budgets.sql",
          "V18__projects.sql",
          "V19__budgets_of_projects.sql",
          "V20__kept.sql",
          "V21__tiers.sql",
          "V22__schedules.sql",
          "V23__template_limits.sql",
          "V24__workspaces.sql");

  /** "COVE": tells our files from other programs' databases. */
  private static final int APPLICATION_ID = 0x434F5645;

  private Migrations() {}

  static int newest() {
    return SCRIPTS.size();
  }

  static void apply(Session session) throws SQLException {
    int version = number(session, "pragma user_version");
    int owner = number(session, "pragma application_id");
    int tables = number(session, "select count(*) from sqlite_schema");
    if (owner != APPLICATION_ID && (owner != 0 || version != 0 || tables != 0)) {
      throw new LedgerUnusableException("it is the database of another program");
    }
    if (version > newest()) {
      throw new LedgerUnusableException(
          "it was written by a newer Cove (schema %d, this one knows %d); run that one"
              .formatted(version, newest()));
    }
    if (version < newest()) {
      migrate(session, version);
    }
  }

  private static void migrate(Session session, int from) throws SQLException {
    session.script("begin exclusive");
    try {
      for (String script : SCRIPTS.subList(from, newest())) {
        session.script(text(script));
      }
      session.script("pragma application_id = " + APPLICATION_ID);
      session.script("pragma user_version = " + newest());
      session.script("commit");
    } catch (SQLException e) {
      session.script("rollback");
      throw e;
    }
  }

  private static int number(Session session, String sql) throws SQLException {
    return session.query(sql, row -> row.getInt(1)).getFirst();
  }

  private static String text(String script) {
    try (var in = Migrations.class.getResourceAsStream(script)) {
      if (in == null) {
        throw new IllegalStateException("The migration " + script + " is not in the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
