package dev.cove.control.event;

import dev.cove.control.ledger.Micros;
import dev.cove.model.ProjectName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that happened.
 *
 * @param id one more than that of the event before
 * @param data a JSON object, as text
 * @param project whose it is; none for what concerns operators alone
 */
public record Event(
    long id,
    Instant at,
    String type,
    Optional<String> sandbox,
    String data,
    Optional<ProjectName> project) {
  /**
   * @param first of the columns id, at, type, sandbox_id, data, project in a row
   */
  public static Event read(ResultSet row, int first) throws SQLException {
    return new Event(
        row.getLong(first),
        Micros.toInstant(row.getLong(first + 1)),
        row.getString(first + 2),
        Optional.ofNullable(row.getString(first + 3)),
        row.getString(first + 4),
        Optional.ofNullable(row.getString(first + 5)).map(ProjectName::new));
  }

  /** As it is shown and sent. Nothing but the data holds anything that would need escaping. */
  public String toJson() {
    return "{\"id\":%d,\"type\":\"%s\",\"time\":\"%s\",%s%s\"data\":%s}"
        .formatted(
            id,
            type,
            at,
            project.map(name -> "\"project\":\"" + name + "\",").orElse(""),
            sandbox.map(id -> "\"sandbox\":\"" + id + "\",").orElse(""),
            data);
  }
}
