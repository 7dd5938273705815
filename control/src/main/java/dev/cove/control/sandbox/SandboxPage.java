package dev.cove.control.sandbox;

import java.util.List;
import java.util.Optional;

/**
 * Some sandboxes, the oldest first.
 *
 * @param nextCursor where to go on; empty when this was the last page
 */
public record SandboxPage(List<Sandbox> items, Optional<String> nextCursor) {
  public SandboxPage {
    items = List.copyOf(items);
  }
}
