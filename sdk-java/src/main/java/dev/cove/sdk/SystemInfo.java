package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;

/**
 * What a server says of itself.
 *
 * @param warm sandboxes that stand ready for the next create
 */
public record SystemInfo(
    String version,
    int sandboxes,
    int maxSandboxes,
    int warm,
    long memoryAvailableBytes,
    boolean diskLimits,
    String toJson) {
  static SystemInfo of(JsonObject json) {
    return new SystemInfo(
        json.requireText("version"),
        json.requireInt("sandboxes"),
        json.requireInt("maxSandboxes"),
        json.requireInt("warm"),
        json.requireLong("memoryAvailableBytes"),
        json.flag("diskLimits"),
        Json.writeText(json));
  }
}
