package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Files that outlive sandboxes, as the server described them at one moment.
 *
 * @param kind volume, or checkpoint for one that never changes
 * @param name a checkpoint has none
 * @param sizeMb how much it can hold
 * @param bytes what it takes on the server's disk
 * @param parent the volume whose files it began with
 * @param mountedBy ids of the sandboxes that have it
 */
public record Volume(
    String id,
    String kind,
    Optional<String> name,
    int sizeMb,
    long bytes,
    Instant createdAt,
    Optional<String> parent,
    List<String> mountedBy) {
  static Volume of(JsonObject json) {
    return new Volume(
        json.requireText("id"),
        json.requireText("kind"),
        json.findText("name"),
        json.requireInt("sizeMb"),
        json.requireLong("bytes"),
        json.requireInstant("createdAt"),
        json.findText("parent"),
        json.texts("mountedBy"));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json = JsonObject.builder().put("id", id).put("kind", kind);
    name.ifPresent(text -> json.put("name", text));
    json.put("sizeMb", sizeMb).put("bytes", bytes).put("createdAt", createdAt.toString());
    parent.ifPresent(origin -> json.put("parent", origin));
    json.put("mountedBy", JsonValue.ofTexts(mountedBy));
    return Json.writeText(json.build());
  }
}
