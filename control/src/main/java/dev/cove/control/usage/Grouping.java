package dev.cove.control.usage;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/**
 * What usage is added up by.
 *
 * @param label whose values are the groups; empty but for that kind
 */
public record Grouping(Kind kind, String label) {
  private static final String LABEL = "label:";
  private static final int MAX_LABEL = 256;

  /** What the groups are. */
  public enum Kind {
    SANDBOX,
    PROJECT,
    LABEL,
    HOUR,
    DAY,
    TOTAL
  }

  public static Grouping of(String text) {
    if (text.startsWith(LABEL) && text.length() > LABEL.length() && text.length() <= MAX_LABEL) {
      return new Grouping(Kind.LABEL, text.substring(LABEL.length()));
    }
    return switch (text) {
      case "sandbox" -> new Grouping(Kind.SANDBOX, "");
      case "project" -> new Grouping(Kind.PROJECT, "");
      case "hour" -> new Grouping(Kind.HOUR, "");
      case "day" -> new Grouping(Kind.DAY, "");
      case "total" -> new Grouping(Kind.TOTAL, "");
      default ->
          throw new CoveException(
              ErrorCode.INVALID_REQUEST,
              "group must be sandbox, project, hour, day, total, or label: and the name of a"
                  + " label.");
    };
  }
}
