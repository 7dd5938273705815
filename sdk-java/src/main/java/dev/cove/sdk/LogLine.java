package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.time.Instant;

/**
 * A line that a service of a sandbox has said.
 *
 * @param id grows from line to line
 * @param stream stdout, stderr, or cove for what the server says about the service
 * @param text of any program's making; it may hold anything, also what drives terminals
 * @param cut the line goes on in the next one
 */
public record LogLine(
    long id, Instant time, String service, String stream, String text, boolean cut) {
  static LogLine of(JsonObject json) {
    return new LogLine(
        json.requireLong("id"),
        json.requireInstant("time"),
        json.requireText("service"),
        json.requireText("stream"),
        json.requireText("text"),
        json.flag("cut"));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json =
        JsonObject.builder()
            .put("id", id)
            .put("time", time.toString())
            .put("service", service)
            .put("stream", stream)
            .put("text", text);
    if (cut) {
      json.put("cut", true);
    }
    return Json.writeText(json.build());
  }
}
