package dev.cove.control.event;

import dev.cove.control.ledger.Micros;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that happened.
 *
 * @param id one more than that of the event before
 * @param data a JSON object, as text
 */
public record Event(long id, Instant at, String type, Optional<String> sandbox, String data) {
  /**
   * @param first of the columns id, at, type, sandbox_id, data in a row
   */
  public static Event read(ResultSet row, int first) throws SQLException {
    return new Event(
        row.getLong(first),
        Micros.toInstant(row.getLong(first + 1)),
        row.getString(first + 2),
        Optional.ofNullable(row.getString(first + 3)),
        row.getString(first + 4));
  }

  /** As it is shown and sent. Nothing but the data holds anything that would need escaping. */
  public String toJson() {
    return "{\"id\":%d,\"type\":\"%s\",\"time\":\"%s\",%s\"data\":%s}"
        .formatted(id, type, at, sandbox.map(id -> "\"sandbox\":\"" + id + "\",").orElse(""), data);
  }
}
