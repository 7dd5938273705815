package dev.cove.control.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ledger from before there were projects. */
class ProjectMigrationTest {
  private static final List<String> BEFORE =
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
          "V17__budgets.sql");

  private static final String ROWS =
      """
      insert into sandbox (id, name, name_key, template, tier, milli_cpus, memory_mb, disk_mb,
                           max_processes, state, created_at)
        values ('a', 'box', 'box', 'host', 'container', 1, 1, 1, 1, 'running', 1);
      insert into volume (id, checkpoint, name, size_mb, created_at) values ('v', 0, 'vol', 16, 1);
      insert into api_key (id, name, hash, last4, created_at) values ('k', 'old', x'00', 'abcd', 1);
      insert into idempotency (key, request_hash, sandbox_id, created_at) values ('i', 'h', 'a', 1);
      insert into template_version (name, version, origin, created_at, base, user, cwd, entrypoint,
                                    start_command, ready_command)
        values ('web', 1, 'o', 1, 'host', 'user', '', '', '', '');
      insert into template_tag (name, tag, version) values ('web', 'latest', 1);
      insert into template_env (name, version, variable, value) values ('web', 1, 'A', 'b');
      insert into template_layer (name, version, position, layer) values ('web', 1, 0, 'l');
      insert into webhook (id, url, types, enabled, generation, hash, created_at, delivered,
                           dropped, failures)
        values ('w', 'http://h/', '', 1, 1, 'x', 1, 0, 0, 0);
      """;

  @TempDir Path folder;

  private static String script(String name) throws Exception {
    try (var in = ProjectMigrationTest.class.getResourceAsStream(name)) {
      assertThat(in).as(name).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private Ledger upgraded() throws Exception {
    Path file = folder.resolve("ledger.db");
    try (var connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        var statement = connection.createStatement()) {
      statement.execute("pragma foreign_keys = on");
      for (String name : BEFORE) {
        statement.executeUpdate(script(name));
      }
      statement.executeUpdate(ROWS);
      statement.execute("pragma application_id = " + 0x434F5645);
      statement.execute("pragma user_version = " + BEFORE.size());
    }
    return Ledger.open(file);
  }

  private static String one(Ledger ledger, String sql) {
    return ledger.read(session -> session.query(sql, row -> row.getString(1)).getFirst());
  }

  @Test
  void what_was_there_is_of_the_default_project_and_keys_are_operators() throws Exception {
    try (Ledger ledger = upgraded()) {
      for (String table :
          List.of(
              "sandbox",
              "volume",
              "idempotency",
              "template_version",
              "template_tag",
              "template_env",
              "template_layer",
              "webhook")) {
        assertThat(one(ledger, "select group_concat(project) from " + table))
            .as(table)
            .isEqualTo("default");
      }
      assertThat(one(ledger, "select count(*) from api_key where project is null")).isEqualTo("1");
      assertThat(one(ledger, "select operators from webhook")).isEqualTo("1");
      assertThat(one(ledger, "select value from template_env")).isEqualTo("b");
      assertThat(one(ledger, "select count(*) from event where project is not 'default'"))
          .as("events that tell of the project itself")
          .isEqualTo("0");
    }
  }

  @Test
  void what_goes_takes_its_rows_along_as_before() throws Exception {
    try (Ledger ledger = upgraded()) {
      ledger.write(session -> session.run("delete from template_version"));
      assertThat(one(ledger, "select count(*) from template_layer")).isEqualTo("0");
      assertThat(one(ledger, "select project from event where type = 'template.deleted'"))
          .isEqualTo("default");
      ledger.write(session -> session.run("update sandbox set state = 'paused'"));
      assertThat(one(ledger, "select project from event where type = 'sandbox.paused'"))
          .isEqualTo("default");
    }
  }
}
