package dev.cove.control.service;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The five fields of cron: minute, hour, day of the month, month, day of the week. Each is {@code
 * *}, a number, a range, either with a step, or a list of those; months and days of the week have
 * their English names too. Where both days are said, either will do. All of it is UTC.
 *
 * @param minutes a bit for each of 0 to 59; the others likewise
 * @param weekdays a bit for each of 0 to 6, from Sunday
 * @param eitherDay both days are said
 */
record Cron(
    String text, long minutes, long hours, long days, long months, long weekdays, boolean eitherDay)
    implements Schedule {
  private static final int LONGEST_TEXT = 200;
  private static final int FIELDS = 5;
  private static final int SUNDAY_AGAIN = 7;
  private static final List<String> MONTHS =
      List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
  private static final List<String> WEEKDAYS =
      List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
  private static final Pattern PART =
      Pattern.compile("(?:(\\*)|([0-9a-z]{1,3})(?:-([0-9a-z]{1,3}))?)(?:/([0-9]{1,2}))?");

  /** The longest way from one 29 February to the next, past a year that has none, and more. */
  private static final int MOST_DAYS = 9 * 366;

  /** What a field may hold, and which names its numbers have. */
  private record Field(String what, int least, int most, List<String> names) {}

  static Cron parse(String text) {
    String[] fields = text.strip().toLowerCase(Locale.ROOT).split("\\s+");
    if (text.length() > LONGEST_TEXT || fields.length != FIELDS) {
      throw new IllegalArgumentException(
          "schedule must be like \"every 15m\" (s, m, h or d), or the five fields of cron: minute, hour,"
              + " day, month, day of the week");
    }
    long weekdays = bits(fields[4], new Field("day of the week", 0, SUNDAY_AGAIN, WEEKDAYS));
    weekdays = (weekdays | weekdays >> SUNDAY_AGAIN) & (1L << SUNDAY_AGAIN) - 1;
    var cron =
        new Cron(
            String.join(" ", fields),
            bits(fields[0], new Field("minute", 0, 59, List.of())),
            bits(fields[1], new Field("hour", 0, 23, List.of())),
            bits(fields[2], new Field("day", 1, 31, List.of())),
            bits(fields[3], new Field("month", 1, 12, MONTHS)),
            weekdays,
            !fields[2].startsWith("*") && !fields[4].startsWith("*"));
    if (cron.findAfter(Instant.EPOCH).isEmpty()) {
      throw new IllegalArgumentException("schedule names a day that never comes");
    }
    return cron;
  }

  private static long bits(String text, Field field) {
    long bits = 0;
    for (String part : text.split(",", -1)) {
      Matcher matcher = PART.matcher(part);
      if (!matcher.matches()) {
        throw unclear(field);
      }
      boolean all = matcher.group(1) != null;
      int first = all ? field.least() : number(matcher.group(2), field);
      int step = matcher.group(4) == null ? 1 : Integer.parseInt(matcher.group(4));
      int last = first;
      if (matcher.group(3) != null) {
        last = number(matcher.group(3), field);
      } else if (all || matcher.group(4) != null) {
        last = field.most();
      }
      if (last < first || step == 0) {
        throw unclear(field);
      }
      for (int value = first; value <= last; value += step) {
        bits |= 1L << value;
      }
    }
    return bits;
  }

  private static int number(String text, Field field) {
    int named = field.names().indexOf(text);
    if (named >= 0) {
      return named + field.least();
    }
    if (!text.chars().allMatch(Character::isDigit)) {
      throw unclear(field);
    }
    int number = Integer.parseInt(text);
    if (number < field.least() || number > field.most()) {
      throw unclear(field);
    }
    return number;
  }

  private static IllegalArgumentException unclear(Field field) {
    return new IllegalArgumentException(
        "schedule: the %s must be numbers from %d to %d, as in 5, 1-5, */10 or 1,15"
            .formatted(field.what(), field.least(), field.most()));
  }

  @Override
  public Instant nextAfter(Instant moment) {
    return findAfter(moment)
        .orElseThrow(() -> new IllegalStateException(text + " does not come any more"));
  }

  private Optional<Instant> findAfter(Instant moment) {
    LocalDateTime from = LocalDateTime.ofInstant(moment, ZoneOffset.UTC).withSecond(0).withNano(0);
    LocalDateTime begin = from.plusMinutes(1);
    LocalDate day = begin.toLocalDate();
    int minute = begin.getHour() * 60 + begin.getMinute();
    for (int i = 0; i < MOST_DAYS; i++) {
      if (isDueOn(day)) {
        for (; minute < 24 * 60; minute++) {
          if (has(hours, minute / 60) && has(minutes, minute % 60)) {
            return Optional.of(day.atTime(minute / 60, minute % 60).toInstant(ZoneOffset.UTC));
          }
        }
      }
      day = day.plusDays(1);
      minute = 0;
    }
    return Optional.empty();
  }

  private boolean isDueOn(LocalDate day) {
    boolean dayOfMonth = has(days, day.getDayOfMonth());
    boolean weekday = has(weekdays, day.getDayOfWeek().getValue() % 7);
    return has(months, day.getMonthValue())
        && (eitherDay ? dayOfMonth || weekday : dayOfMonth && weekday);
  }

  private static boolean has(long bits, int value) {
    return (bits >> value & 1) == 1;
  }
}
