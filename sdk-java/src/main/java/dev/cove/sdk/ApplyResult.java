package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.List;
import java.util.Optional;

/**
 * What came of an apply.
 *
 * @param apply its id, where something was done
 * @param unchanged where the host has, or keeps, what it should
 * @param skipped what nobody can take
 * @param conflicts about which somebody has to decide
 */
public record ApplyResult(
    Optional<String> apply,
    List<String> applied,
    List<String> unchanged,
    List<Left> skipped,
    List<Left> conflicts) {
  /** A path that was left alone, and why. */
  public record Left(String path, String reason) {
    static Left of(JsonObject json) {
      return new Left(json.requireText("path"), json.requireText("reason"));
    }

    JsonObject toBody() {
      return JsonObject.builder().put("path", path).put("reason", reason).build();
    }
  }

  public ApplyResult {
    applied = List.copyOf(applied);
    unchanged = List.copyOf(unchanged);
    skipped = List.copyOf(skipped);
    conflicts = List.copyOf(conflicts);
  }

  static ApplyResult of(JsonObject json) {
    return new ApplyResult(
        json.findText("apply"),
        json.texts("applied"),
        json.texts("unchanged"),
        json.objects("skipped").stream().map(Left::of).toList(),
        json.objects("conflicts").stream().map(Left::of).toList());
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json = JsonObject.builder();
    apply.ifPresent(id -> json.put("apply", id));
    json.put("applied", JsonValue.ofTexts(applied)).put("unchanged", JsonValue.ofTexts(unchanged));
    json.put("skipped", items(skipped)).put("conflicts", items(conflicts));
    return Json.writeText(json.build());
  }

  private static JsonValue items(List<Left> all) {
    return new JsonValue.Items(all.stream().<JsonValue>map(Left::toBody).toList());
  }
}
