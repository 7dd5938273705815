package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.time.Duration;
import java.time.Instant;

/**
 * What a sandbox wanted to reach, and what became of it.
 *
 * @param destination host and port, as programs inside asked for them
 * @param dialled the address that was connected to; empty when none was
 * @param outcome allowed, denied, ask or by_request; later servers may know more
 * @param rule what decided, such as {@code allow *.example.com}
 * @param count how often the same happened in a row
 * @param sentBytes from the sandbox
 * @param receivedBytes to the sandbox
 */
public record NetworkLogEntry(
    Instant time,
    String destination,
    String dialled,
    String outcome,
    String rule,
    long count,
    long sentBytes,
    long receivedBytes,
    Duration duration) {
  static NetworkLogEntry of(JsonObject json) {
    return new NetworkLogEntry(
        json.requireInstant("time"),
        json.requireText("destination"),
        json.findText("dialled").orElse(""),
        json.requireText("outcome"),
        json.requireText("rule"),
        json.requireLong("count"),
        json.requireLong("sentBytes"),
        json.requireLong("receivedBytes"),
        Duration.ofMillis(json.requireLong("durationMs")));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(
        JsonObject.builder()
            .put("time", time.toString())
            .put("destination", destination)
            .put("dialled", dialled)
            .put("outcome", outcome)
            .put("rule", rule)
            .put("count", count)
            .put("sentBytes", sentBytes)
            .put("receivedBytes", receivedBytes)
            .put("durationMs", duration.toMillis())
            .build());
  }
}
