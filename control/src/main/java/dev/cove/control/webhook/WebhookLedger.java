package dev.cove.control.webhook;

import dev.cove.control.event.Event;
import dev.cove.control.event.EventTypes;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.ledger.Session;
import dev.cove.control.ledger.Words;
import dev.cove.control.project.Projects;
import dev.cove.control.project.Scope;
import dev.cove.model.ProjectName;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** The rows that say who is told what, and what nobody could be told. */
final class WebhookLedger {
  private final Ledger ledger;

  WebhookLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  /** A webhook, and the hash of the secret that it was given. */
  record Stored(Webhook webhook, String hash) {}

  List<Stored> all() {
    return ledger.read(session ->
        session.query(
            """
            select id, url, types, enabled, generation, created_at, delivered, dropped, failures,
                   error, hash, project, operators
            from webhook order by created_at, id
            """,
            row -> new Stored(webhook(row), row.getString(11))));
  }

  Optional<Stored> find(String id) {
    return all().stream().filter(stored -> stored.webhook().id().equals(id)).findFirst();
  }

  void insert(Webhook webhook, String hash) {
    ProjectName project = webhook.scope().project().orElse(ProjectName.DEFAULT);
    ledger.write(session -> {
      Projects.requireThere(session, project);
      return session.run(
          """
          insert into webhook (id, url, types, enabled, generation, hash, created_at, delivered,
                               project, operators, dropped, failures)
          values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)
          """,
          webhook.id(),
          webhook.url().toString(),
          types(webhook),
          webhook.enabled() ? 1 : 0,
          webhook.generation(),
          hash,
          Micros.of(webhook.createdAt()),
          webhook.delivered(),
          project.value(),
          webhook.scope().operator() ? 1 : 0);
    });
  }

  void update(Webhook webhook, String hash) {
    ledger.write(session ->
        session.run(
            """
            update webhook set url = ?, types = ?, enabled = ?, generation = ?, hash = ?,
                               failures = 0, error = null
            where id = ?
            """,
            webhook.url().toString(),
            types(webhook),
            webhook.enabled() ? 1 : 0,
            webhook.generation(),
            hash,
            webhook.id()));
  }

  void remove(String id) {
    ledger.write(session -> session.run("delete from webhook where id = ?", id));
  }

  /** It has heard everything up to that event. */
  void delivered(String id, long event) {
    ledger.writeAhead(session ->
        session.run(
            "update webhook set delivered = ?, failures = 0, error = null where id = ?",
            event,
            id));
  }

  void failed(String id, int failures, String error) {
    ledger.writeAhead(session ->
        session.run(
            "update webhook set failures = ?, error = ? where id = ?", failures, error, id));
  }

  /** Goes on to the next event, and keeps this one apart. */
  void bury(String id, DeadLetter letter, int room) {
    ledger.write(session -> {
      Event event = letter.event();
      session.run(
          """
          insert or replace into dead_letter (webhook_id, event_id, at, type, sandbox_id, data,
                                              project, failed_at, error)
          select id, ?, ?, ?, ?, ?, ?, ?, ? from webhook where id = ?
          """,
          event.id(),
          Micros.of(event.at()),
          event.type(),
          event.sandbox().orElse(null),
          event.data(),
          event.project().map(ProjectName::value).orElse(null),
          Micros.of(letter.failedAt()),
          letter.error(),
          id);
      int dropped = makeRoom(session, id, room);
      return session.run(
          "update webhook set delivered = ?, dropped = dropped + ? where id = ?",
          event.id(),
          dropped,
          id);
    });
  }

  private static int makeRoom(Session session, String id, int room) throws SQLException {
    return session.run(
        """
        delete from dead_letter where webhook_id = ?1 and event_id in (
          select event_id from dead_letter where webhook_id = ?1
          order by event_id desc limit -1 offset ?2)
        """,
        id,
        room);
  }

  List<DeadLetter> dead(String id) {
    return ledger.read(session ->
        session.query(
            """
            select event_id, at, type, sandbox_id, data, project, failed_at, error
            from dead_letter where webhook_id = ? order by event_id
            """,
            row ->
                new DeadLetter(
                    Event.read(row, 1), Micros.toInstant(row.getLong(7)), row.getString(8)),
            id));
  }

  void revive(String id, long event) {
    ledger.write(session ->
        session.run("delete from dead_letter where webhook_id = ? and event_id = ?", id, event));
  }

  void failedAgain(String id, long event, Instant at, String error) {
    ledger.writeAhead(session ->
        session.run(
            "update dead_letter set failed_at = ?, error = ? where webhook_id = ? and event_id = ?",
            Micros.of(at),
            error,
            id,
            event));
  }

  private static String types(Webhook webhook) {
    return Words.encode(webhook.types().wanted().stream().sorted().toList());
  }

  private static Webhook webhook(ResultSet row) throws SQLException {
    return new Webhook(
        row.getString(1),
        new Scope(Optional.of(new ProjectName(row.getString(12))), row.getInt(13) != 0),
        URI.create(row.getString(2)),
        new EventTypes(new HashSet<>(Words.decode(row.getString(3)))),
        row.getInt(4) != 0,
        row.getInt(5),
        Micros.toInstant(row.getLong(6)),
        row.getLong(7),
        row.getLong(8),
        row.getInt(9),
        Optional.ofNullable(row.getString(10)));
  }
}
