package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.List;

/**
 * A folder of the server's host that a sandbox has.
 *
 * @param hidden the first of what is there and the sandbox does not see; empty in listings
 * @param hiddenCount how many there are
 */
public record ProjectInfo(
    String path, String target, boolean readOnly, List<String> hidden, int hiddenCount) {
  public ProjectInfo {
    hidden = List.copyOf(hidden);
  }

  static ProjectInfo of(JsonObject json) {
    return new ProjectInfo(
        json.requireText("path"),
        json.requireText("target"),
        json.flag("readOnly"),
        json.find("hidden").map(_ -> json.texts("hidden")).orElse(List.of()),
        json.findLong("hiddenCount").orElse(0L).intValue());
  }

  JsonObject toBody() {
    return JsonObject.builder()
        .put("path", path)
        .put("target", target)
        .put("readOnly", readOnly)
        .put("hidden", JsonValue.ofTexts(hidden))
        .put("hiddenCount", hiddenCount)
        .build();
  }
}
