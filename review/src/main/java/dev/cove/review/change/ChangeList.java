package dev.cove.review.change;

import java.util.List;

/**
 * All changes, the most dangerous first.
 *
 * @param truncated whether there are more than were asked for
 */
public record ChangeList(List<Change> changes, boolean truncated) {
  public ChangeList {
    changes = List.copyOf(changes);
  }
}
