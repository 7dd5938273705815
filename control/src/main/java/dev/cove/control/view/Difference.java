package dev.cove.control.view;

import java.util.List;

/**
 * How two states of files differ.
 *
 * @param changes by path, each folder right before what is in it
 * @param truncated there are more than were asked for
 */
public record Difference(List<Change> changes, boolean truncated) {
  public Difference {
    changes = List.copyOf(changes);
  }
}
