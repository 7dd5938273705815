package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.time.Instant;

/**
 * Something that a sandbox wants to reach and that its owner has not decided yet.
 *
 * @param waiting how many connections wait for the answer
 */
public record NetworkQuestion(String id, String destination, Instant since, int waiting) {
  static NetworkQuestion of(JsonObject json) {
    return new NetworkQuestion(
        json.requireText("id"),
        json.requireText("destination"),
        json.requireInstant("since"),
        json.requireInt("waiting"));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(
        JsonObject.builder()
            .put("id", id)
            .put("destination", destination)
            .put("since", since.toString())
            .put("waiting", waiting)
            .build());
  }
}
