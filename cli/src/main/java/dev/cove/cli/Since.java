package dev.cove.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** A moment in the past as people write it: so long ago, or a time. */
final class Since {
  private static final Pattern AGO = Pattern.compile("([0-9]{1,6})([smhd])");

  private Since() {}

  static Instant parse(String text, Instant now) {
    Matcher ago = AGO.matcher(text);
    if (ago.matches()) {
      long count = Long.parseLong(ago.group(1));
      return now.minus(
          switch (ago.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
          });
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new TypeConversionException(
          "'"
              + text
              + "' is neither a time such as 2030-01-31T12:00:00Z nor so long ago, such as 10m");
    }
  }
}
