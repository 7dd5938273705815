package dev.cove.control.usage;

import java.util.List;
import java.util.Optional;

/**
 * Usage by groups, in the order of their keys.
 *
 * @param next where the next page begins, if there is one
 */
public record UsagePage(List<Item> items, Optional<String> next) {
  public UsagePage {
    items = List.copyOf(items);
  }

  /**
   * What one group has used.
   *
   * @param key a sandbox's id, a project, a label's value, the begin of an hour, or a day; empty
   *     for all together, and for sandboxes that are no longer told apart or lack the label
   * @param name of a sandbox
   * @param project of a sandbox
   */
  public record Item(
      String key, Optional<String> name, Optional<String> project, Amounts amounts) {}
}
