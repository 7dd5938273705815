package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import java.util.Optional;

/**
 * What lies at a path.
 *
 * @param type file, folder, link or other
 * @param mode permissions, such as 0644
 * @param bytes of a file
 * @param link where a link leads
 */
public record ChangedEntry(String type, String mode, long bytes, Optional<String> link) {
  static ChangedEntry of(JsonObject json) {
    return new ChangedEntry(
        json.requireText("type"),
        json.requireText("mode"),
        json.requireLong("bytes"),
        json.findText("link"));
  }

  JsonObject toBody() {
    var json = JsonObject.builder().put("type", type).put("mode", mode).put("bytes", bytes);
    link.ifPresent(target -> json.put("link", target));
    return json.build();
  }
}
