package dev.cove.control.usage;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Which usage is wanted. What was used is known by the hour, and by the day when it is old: an hour
 * or day counts whole when it begins within the time asked for.
 *
 * @param from inclusive
 * @param to exclusive
 * @param sandbox an id, or a name that one or more sandboxes have or had
 */
public record UsageQuery(
    Instant from,
    Instant to,
    Grouping group,
    Optional<String> sandbox,
    Optional<String> project,
    int limit,
    Optional<String> after) {
  public static final int MAX_PAGE = 10_000;
  private static final Duration LONGEST = Duration.ofDays(3_660);

  public UsageQuery {
    if (!from.isBefore(to)) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, "from must be before to.");
    }
    if (Duration.between(from, to).compareTo(LONGEST) > 0) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "from and to may be at most %d days apart.".formatted(LONGEST.toDays()));
    }
    if (limit < 1 || limit > MAX_PAGE) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "limit must be between 1 and " + MAX_PAGE + ".");
    }
  }
}
