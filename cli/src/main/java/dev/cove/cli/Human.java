package dev.cove.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Numbers as people read them. */
final class Human {
  private static final String UNITS = "KMGTP";

  private Human() {}

  static String number(double value) {
    return value == Math.rint(value)
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%.2f", value);
  }

  /** Such as {@code 1 change} or {@code 3 changes}. */
  static String count(long number, String one) {
    return number + " " + one + (number == 1 ? "" : "s");
  }

  static String megabytes(long count) {
    return bytes(count * 1024 * 1024);
  }

  static String bytes(long count) {
    if (count < 1024) {
      return count + "B";
    }
    double value = count;
    int unit = -1;
    while (value >= 1024 && unit < UNITS.length() - 1) {
      value /= 1024;
      unit++;
    }
    boolean whole = value >= 100 || value == Math.rint(value);
    return String.format(Locale.ROOT, whole ? "%.0f%c" : "%.1f%c", value, UNITS.charAt(unit));
  }

  static String age(Instant from, Instant now) {
    Duration age = Duration.between(from, now);
    if (age.toDays() > 0) {
      return age.toDays() + "d";
    }
    if (age.toHours() > 0) {
      return age.toHours() + "h";
    }
    return age.toMinutes() > 0 ? age.toMinutes() + "m" : Math.max(0, age.toSeconds()) + "s";
  }
}
