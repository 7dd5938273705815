package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import java.util.List;

/**
 * How two states of files differ.
 *
 * @param items by path, each folder right before what is in it
 * @param truncated whether there is more than the limit allowed
 */
public record Difference(List<FileChange> items, boolean truncated) {
  public Difference {
    items = List.copyOf(items);
  }

  static Difference of(JsonObject json) {
    return new Difference(
        json.objects("items").stream().map(FileChange::of).toList(), json.flag("truncated"));
  }
}
