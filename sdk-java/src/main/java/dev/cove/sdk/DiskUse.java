package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.util.List;

/**
 * Who takes how much of the server's disk.
 *
 * @param layers all that sandboxes and checkpoints are made of
 * @param unused those among them that nobody needs
 * @param items what takes the room, the largest of each kind first
 */
public record DiskUse(
    long totalBytes, long freeBytes, Part layers, Part unused, List<Item> items, String toJson) {
  public DiskUse {
    items = List.copyOf(items);
  }

  static DiskUse of(JsonObject json) {
    return new DiskUse(
        json.requireLong("totalBytes"),
        json.requireLong("freeBytes"),
        Part.of(json.requireObject("layers")),
        Part.of(json.requireObject("unused")),
        json.objects("items").stream().map(Item::of).toList(),
        Json.writeText(json));
  }

  /** So many layers, which take so much. */
  public record Part(int count, long bytes) {
    private static Part of(JsonObject json) {
      return new Part(json.requireInt("count"), json.requireLong("bytes"));
    }
  }

  /**
   * What one thing takes.
   *
   * @param kind sandbox, checkpoint, template, build cache or volume; later servers may know more
   * @param bytes all that it needs, also what others need too
   * @param ownBytes what would be free again if it alone went
   */
  public record Item(String kind, String id, long bytes, long ownBytes) {
    private static Item of(JsonObject json) {
      return new Item(
          json.requireText("kind"),
          json.requireText("id"),
          json.requireLong("bytes"),
          json.requireLong("ownBytes"));
    }
  }
}
