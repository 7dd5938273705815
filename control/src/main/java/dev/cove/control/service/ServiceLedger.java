package dev.cove.control.service;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.OwnedRows;
import dev.cove.control.ledger.Session;
import dev.cove.control.ledger.Words;
import dev.cove.control.service.Service.Ready;
import dev.cove.control.service.Service.Restart;
import dev.cove.model.SandboxId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The rows that say which services sandboxes have, and which process is each. */
public final class ServiceLedger {
  private static final String COLUMNS =
      "name, command, env, cwd, user, ready, ready_port, ready_ms, restart, of_template, phase,"
          + " process, code, schedule, last_at";

  private final Ledger ledger;

  ServiceLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  /** How far it has come with a service. */
  enum Stage {
    /** To be started. */
    WAITING,
    /** A process was about to be started; if it was, its number is above the one that is noted. */
    STARTING,
    /** That process is it. */
    RUNNING,
    EXITED,
    FAILED,
    /** By hand; it stays so until it is started by hand. */
    STOPPED;

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A service and how far it has come with it.
   *
   * @param process the agent's number; see {@link Stage}
   * @param last when it was last started, or written down
   */
  record Row(Service service, Stage stage, long process, Optional<Integer> code, Instant last) {
    /** Of a service that is new. */
    static Row fresh(Service service, Instant now) {
      return new Row(service, Stage.WAITING, 0, Optional.empty(), now);
    }
  }

  List<Row> of(SandboxId id) {
    return ledger.read(session ->
        session.query(
            "select " + COLUMNS + " from sandbox_service where sandbox_id = ? order by position",
            row -> row(row, 1),
            id.value()));
  }

  Map<SandboxId, List<Row>> all() {
    return ledger.read(session -> {
      var rows = new HashMap<SandboxId, List<Row>>();
      OwnedRows.lists(
              session,
              "select sandbox_id, "
                  + COLUMNS
                  + " from sandbox_service order by sandbox_id, position",
              row -> row(row, 2))
          .forEach((id, services) -> rows.put(new SandboxId(id), services));
      return rows;
    });
  }

  /** Part of the transaction that a new sandbox is written in. */
  public static void insert(Session session, SandboxId id, List<Service> services, Instant now)
      throws SQLException {
    var rows = new ArrayList<Row>();
    for (Service service : services) {
      rows.add(Row.fresh(service, now));
    }
    insertRows(session, id, rows);
  }

  /** No process of a sandbox is there any more, and those to come have numbers of their own. */
  public static void processesGone(Session session, SandboxId id) throws SQLException {
    session.run(
        "update sandbox_service set phase = ?, process = 0 where sandbox_id = ? and phase in (?,"
            + " ?)",
        Stage.WAITING.word(),
        id.value(),
        Stage.STARTING.word(),
        Stage.RUNNING.word());
  }

  void replace(SandboxId id, List<Row> rows) {
    ledger.write(session -> {
      session.run("delete from sandbox_service where sandbox_id = ?", id.value());
      insertRows(session, id, rows);
      return true;
    });
  }

  /** A process is about to be started, with a number above that one. */
  void announce(SandboxId id, Row row) {
    ledger.writeAhead(session ->
        session.run(
            "update sandbox_service set phase = ?, process = ?, code = ?, last_at = ? where"
                + " sandbox_id = ? and name = ?",
            Stage.STARTING.word(),
            row.process(),
            row.code().orElse(null),
            row.last().toEpochMilli(),
            id.value(),
            row.service().name()));
  }

  /** A stop by hand must outlive the host; all else would not either, or comes about again. */
  void note(SandboxId id, String name, Stage stage, long process, Optional<Integer> code) {
    if (stage == Stage.STOPPED) {
      ledger.write(session -> update(session, id, name, stage, process, code));
    } else {
      ledger.writeAhead(session -> update(session, id, name, stage, process, code));
    }
  }

  private static int update(
      Session session, SandboxId id, String name, Stage stage, long process, Optional<Integer> code)
      throws SQLException {
    return session.run(
        "update sandbox_service set phase = ?, process = ?, code = ? where sandbox_id = ? and name"
            + " = ?",
        stage.word(),
        process,
        code.orElse(null),
        id.value(),
        name);
  }

  private static void insertRows(Session session, SandboxId id, List<Row> rows)
      throws SQLException {
    int position = 0;
    for (Row row : rows) {
      Service service = row.service();
      session.run(
          "insert into sandbox_service (sandbox_id, position, "
              + COLUMNS
              + ") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          id.value(),
          position++,
          service.name(),
          Words.encode(service.command()),
          Words.encode(
              service.env().entrySet().stream()
                  .map(entry -> entry.getKey() + "=" + entry.getValue())
                  .sorted()
                  .toList()),
          service.cwd().orElse(null),
          service.user().orElse(null),
          Words.encode(service.ready().command()),
          service.ready().port(),
          service.ready().patience().toMillis(),
          service.restart().publicName(),
          service.ofTemplate() ? 1 : 0,
          row.stage().word(),
          row.process(),
          row.code().orElse(null),
          service.schedule().map(Schedule::text).orElse(null),
          row.last().toEpochMilli());
    }
  }

  private static Row row(ResultSet row, int first) throws SQLException {
    var env = new HashMap<String, String>();
    for (String pair : Words.decode(row.getString(first + 2))) {
      int equals = pair.indexOf('=');
      env.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    var service =
        new Service(
            row.getString(first),
            Words.decode(row.getString(first + 1)),
            env,
            Optional.ofNullable(row.getString(first + 3)),
            Optional.ofNullable(row.getString(first + 4)),
            new Ready(
                row.getInt(first + 6),
                Words.decode(row.getString(first + 5)),
                Duration.ofMillis(row.getLong(first + 7))),
            Restart.find(row.getString(first + 8)).orElse(Restart.NEVER),
            Optional.ofNullable(row.getString(first + 13)).map(Schedule::parse),
            row.getInt(first + 9) != 0);
    int code = row.getInt(first + 12);
    Optional<Integer> ended = row.wasNull() ? Optional.empty() : Optional.of(code);
    return new Row(
        service,
        stage(row.getString(first + 10)),
        row.getLong(first + 11),
        ended,
        Instant.ofEpochMilli(row.getLong(first + 14)));
  }

  private static Stage stage(String word) {
    for (Stage stage : Stage.values()) {
      if (stage.word().equals(word)) {
        return stage;
      }
    }
    throw new IllegalStateException("The ledger has a service that is " + word);
  }
}
