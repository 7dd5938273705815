package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of a sandbox at one moment. It outlives the sandbox.
 *
 * @param name empty when none was given
 * @param reason asked, before-restore, before-exec, scheduled, inside or imported; later servers
 *     may know more
 * @param bytes what its newest layer takes on disk
 * @param frozen how long the sandbox's programs stood still for it
 * @param copied whether programs ran, so that the newest layer had to be copied
 * @param memory whether it has the programs' memory too, or files only
 * @param digest names the content of its newest layer; the server knows it a moment later
 */
public record Checkpoint(
    String id,
    String sandboxId,
    String name,
    String reason,
    Instant createdAt,
    String template,
    long bytes,
    Duration frozen,
    boolean copied,
    boolean memory,
    int layers,
    Optional<String> digest) {
  private static final double NANOS_PER_MILLI = 1e6;

  static Checkpoint of(JsonObject json) {
    return new Checkpoint(
        json.requireText("id"),
        json.requireText("sandbox"),
        json.requireText("name"),
        json.requireText("reason"),
        json.requireInstant("createdAt"),
        json.requireText("template"),
        json.requireLong("bytes"),
        Duration.ofNanos(Math.round(json.requireDouble("frozenMs") * NANOS_PER_MILLI)),
        json.flag("copied"),
        json.flag("memory"),
        json.requireInt("layers"),
        json.findText("digest"));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    JsonObject.Builder json =
        JsonObject.builder()
            .put("id", id)
            .put("sandbox", sandboxId)
            .put("name", name)
            .put("reason", reason)
            .put("createdAt", createdAt.toString())
            .put("template", template)
            .put("bytes", bytes)
            .put("frozenMs", frozen.toNanos() / NANOS_PER_MILLI)
            .put("copied", copied)
            .put("memory", memory)
            .put("layers", layers);
    digest.ifPresent(text -> json.put("digest", text));
    return Json.writeText(json.build());
  }
}
