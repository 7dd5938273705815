package dev.cove.control.service;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When something is due, again and again. It follows from the wall clock alone, so nothing has to
 * be kept for it to be the same after a restart.
 */
public sealed interface Schedule permits Schedule.Every, Cron {
  /** As it was said. */
  String text();

  /** The first moment after another at which it is due. */
  Instant nextAfter(Instant moment);

  /**
   * @param text {@code every 15m}, or five fields as cron has them, in UTC
   * @throws IllegalArgumentException it is neither, or never comes
   */
  static Schedule parse(String text) {
    return Every.find(text).map(Schedule.class::cast).orElseGet(() -> Cron.parse(text));
  }

  /** At all multiples of a length of time, counted from 1970. */
  record Every(String text, Duration length) implements Schedule {
    private static final Pattern TEXT = Pattern.compile("every ([1-9][0-9]{0,5})([smhd])");
    private static final Duration LONGEST = Duration.ofDays(366);

    static Optional<Every> find(String text) {
      Matcher matcher = TEXT.matcher(text);
      if (!matcher.matches()) {
        return Optional.empty();
      }
      long number = Long.parseLong(matcher.group(1));
      Duration length =
          switch (matcher.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
          };
      if (length.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException("schedule must come at least every 366 days");
      }
      return Optional.of(new Every(text, length));
    }

    @Override
    public Instant nextAfter(Instant moment) {
      long seconds = length.toSeconds();
      return Instant.ofEpochSecond((Math.floorDiv(moment.getEpochSecond(), seconds) + 1) * seconds);
    }
  }
}
