package dev.cove.control.usage;

import java.util.Map;
import java.util.Optional;

/**
 * Whose usage it is, as it will be told when the sandbox is gone.
 *
 * @param budget how much it may use, where that is limited
 */
public record Owner(
    String project, String name, Map<String, String> labels, Optional<Budget> budget) {
  public Owner {
    labels = Map.copyOf(labels);
  }
}
