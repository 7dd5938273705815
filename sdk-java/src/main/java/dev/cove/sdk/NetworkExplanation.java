package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.util.Optional;

/**
 * What would become of a connection, and why.
 *
 * @param outcome allowed, denied, ask, or by_request where it depends on what is asked for there;
 *     later servers may know more
 * @param rule what decides, such as {@code default deny}
 * @param remedy the smallest rule that would allow it; none where it is allowed, or no rule could
 */
public record NetworkExplanation(
    String destination, String outcome, String rule, Optional<String> remedy) {
  static NetworkExplanation of(JsonObject json) {
    return new NetworkExplanation(
        json.requireText("destination"),
        json.requireText("outcome"),
        json.requireText("rule"),
        json.findText("remedy"));
  }

  /** Whether a connection is let through, be it that each request over it is then looked at. */
  public boolean connects() {
    return outcome.equals("allowed") || outcome.equals("by_request");
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json =
        JsonObject.builder()
            .put("destination", destination)
            .put("outcome", outcome)
            .put("rule", rule);
    remedy.ifPresent(text -> json.put("remedy", text));
    return Json.writeText(json.build());
  }
}
