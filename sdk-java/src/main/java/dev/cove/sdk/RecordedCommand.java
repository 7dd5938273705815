package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A command that was run in a sandbox, with a checkpoint before it.
 *
 * @param number counts from 1, by which it is named elsewhere
 * @param exitCode where it has ended and its end was seen
 * @param checkpoint the state before it
 * @param added how many paths of the sandbox's projects it added, as far as is known
 */
public record RecordedCommand(
    int number,
    List<String> command,
    Instant startedAt,
    Optional<Integer> exitCode,
    String checkpoint,
    int added,
    int changed,
    int deleted) {
  public RecordedCommand {
    command = List.copyOf(command);
  }

  static RecordedCommand of(JsonObject json) {
    JsonObject changes = json.requireObject("changes");
    return new RecordedCommand(
        json.requireInt("number"),
        json.texts("command"),
        json.requireInstant("startedAt"),
        json.findLong("exitCode").map(Long::intValue),
        json.requireText("checkpoint"),
        changes.requireInt("added"),
        changes.requireInt("changed"),
        changes.requireInt("deleted"));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json =
        JsonObject.builder()
            .put("number", number)
            .put("command", JsonValue.ofTexts(command))
            .put("startedAt", startedAt.toString());
    exitCode.ifPresent(code -> json.put("exitCode", code));
    json.put("checkpoint", checkpoint);
    json.put(
        "changes",
        JsonObject.builder()
            .put("added", added)
            .put("changed", changed)
            .put("deleted", deleted)
            .build());
    return Json.writeText(json.build());
  }
}
