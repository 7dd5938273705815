package dev.cove.control.event;

import java.util.List;
import java.util.Optional;

/**
 * Events in a row.
 *
 * @param next where to go on: the id of the last event that was looked at, wanted or not
 * @param more whether there are further ones already
 */
public record EventPage(List<Event> items, long next, boolean more, Optional<Gap> gap) {
  public EventPage {
    items = List.copyOf(items);
  }

  /**
   * What was to come next is not there any more, or was never there.
   *
   * @param after where the reader stood
   * @param from the first event that there is, or will be
   */
  public record Gap(long after, long from) {}
}
