package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.util.List;

/**
 * What a server says of itself.
 *
 * @param warm sandboxes that stand ready for the next create
 * @param parts what the server needs to do its work; none from servers of before
 */
public record SystemInfo(
    String version,
    int sandboxes,
    int maxSandboxes,
    int warm,
    long memoryAvailableBytes,
    boolean diskLimits,
    List<Part> parts,
    String toJson) {
  public SystemInfo {
    parts = List.copyOf(parts);
  }

  /** Whether all parts are well. */
  public boolean ready() {
    return parts.stream().allMatch(Part::well);
  }

  /**
   * One part of the server.
   *
   * @param name ledger, node, disk, descriptors or threads; later servers may know more
   * @param detail what is wrong and what to do; empty when nothing is
   */
  public record Part(String name, boolean well, String detail) {
    private static Part of(JsonObject json) {
      return new Part(
          json.requireText("name"),
          json.requireText("status").equals("ok"),
          json.requireText("detail"));
    }
  }

  static SystemInfo of(JsonObject json) {
    return new SystemInfo(
        json.requireText("version"),
        json.requireInt("sandboxes"),
        json.requireInt("maxSandboxes"),
        json.requireInt("warm"),
        json.requireLong("memoryAvailableBytes"),
        json.flag("diskLimits"),
        json.objects("parts").stream().map(Part::of).toList(),
        Json.writeText(json));
  }
}
