package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * Some changes in a row, the most dangerous first.
 *
 * @param next to be given to {@link ChangeQuery#after}, where there are more
 * @param total how many there are in all
 * @param truncated whether there are more, which are not known: nothing can be applied then
 * @param hidden the first of what the sandbox does not see of its projects
 */
public record ChangePage(
    List<Change> changes,
    Optional<String> next,
    long total,
    boolean truncated,
    List<String> hidden) {
  public ChangePage {
    changes = List.copyOf(changes);
    hidden = List.copyOf(hidden);
  }

  static ChangePage of(JsonObject json) {
    return new ChangePage(
        json.objects("changes").stream().map(Change::of).toList(),
        json.findText("next"),
        json.requireLong("total"),
        json.flag("truncated"),
        json.texts("hidden"));
  }
}
