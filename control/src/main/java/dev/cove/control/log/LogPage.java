package dev.cove.control.log;

import java.util.List;

/**
 * Some lines in a row.
 *
 * @param next where to go on
 * @param more whether there is something after it already
 * @param gap lines that were to come first are not there any more
 */
public record LogPage(List<LogLine> items, long next, boolean more, boolean gap) {
  public LogPage {
    items = List.copyOf(items);
  }
}
