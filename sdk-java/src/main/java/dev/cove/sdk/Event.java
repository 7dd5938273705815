package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/**
 * Something that happened on the server.
 *
 * @param id one more than that of the event before
 * @param type such as sandbox.running; also events.dropped, when some are not there any more
 * @param project whose it is; none for what concerns operators alone
 * @param sandbox the id of the sandbox that it is about
 * @param data what else is known, as one line of JSON
 */
public record Event(
    long id,
    String type,
    Instant time,
    Optional<String> project,
    Optional<String> sandbox,
    String data) {
  static final String DROPPED = "events.dropped";

  static Event of(JsonObject json) {
    return new Event(
        json.requireLong("id"),
        json.requireText("type"),
        json.requireInstant("time"),
        json.findText("project"),
        json.findText("sandbox"),
        Json.writeText(json.requireObject("data")));
  }

  static Event dropped(JsonObject json) {
    return new Event(
        json.requireLong("from") - 1,
        DROPPED,
        Instant.now(),
        Optional.empty(),
        Optional.empty(),
        Json.writeText(json));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json = JsonObject.builder().put("id", id).put("type", type).put("time", time.toString());
    project.ifPresent(owner -> json.put("project", owner));
    sandbox.ifPresent(box -> json.put("sandbox", box));
    JsonValue members = Json.parse(data.getBytes(StandardCharsets.UTF_8));
    return Json.writeText(json.put("data", members).build());
  }
}
