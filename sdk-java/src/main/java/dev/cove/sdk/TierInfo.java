package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.util.Optional;

/**
 * A tier as it is on one server.
 *
 * @param tier container, gvisor or microvm; later servers may know more
 * @param usual whether sandboxes get it when nobody names one
 * @param obstacles why it is not usable, where it is not
 */
public record TierInfo(
    String tier, boolean usable, boolean usual, Optional<String> obstacles, Boundary boundary) {
  static TierInfo of(JsonObject json) {
    return new TierInfo(
        json.requireText("tier"),
        json.flag("usable"),
        json.flag("usual"),
        json.findText("obstacles"),
        Boundary.of(json.requireObject("boundary")));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json = JsonObject.builder().put("tier", tier).put("usable", usable).put("usual", usual);
    obstacles.ifPresent(text -> json.put("obstacles", text));
    return Json.writeText(json.put("boundary", boundary.toBody()).build());
  }
}
