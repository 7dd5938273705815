package dev.cove.server;

import dev.cove.control.sandbox.Metering;
import dev.cove.control.usage.Budgets;
import dev.cove.control.usage.Prices;
import dev.cove.control.usage.Retention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How what sandboxes use is counted, and what it costs.
 *
 * @param interval between two readings
 */
record UsageConfig(Duration interval, Retention retention, Optional<Prices> prices) {
  private static final String INTERVAL = "COVE_METER_INTERVAL_MS";
  private static final String PRICES = "COVE_PRICES";
  private static final String HOURLY = "COVE_USAGE_HOURLY_DAYS";
  private static final String BY_SANDBOX = "COVE_USAGE_SANDBOX_DAYS";
  private static final int USUAL_HOURLY_DAYS = 35;
  private static final int USUAL_SANDBOX_DAYS = 400;
  private static final int MOST_DAYS = 3_660;
  private static final int USUAL_MILLIS = 10_000;
  private static final int SHORTEST_MILLIS = 50;
  private static final int LONGEST_MILLIS = 600_000;
  private static final int MAX_PRICES_BYTES = 1 << 16;

  static UsageConfig read(Map<String, String> environment, List<String> faults) {
    return new UsageConfig(
        Duration.ofMillis(
            number(environment, INTERVAL, USUAL_MILLIS, SHORTEST_MILLIS, LONGEST_MILLIS, faults)),
        new Retention(
            Duration.ofDays(number(environment, HOURLY, USUAL_HOURLY_DAYS, 1, MOST_DAYS, faults)),
            Duration.ofDays(
                number(environment, BY_SANDBOX, USUAL_SANDBOX_DAYS, 1, MOST_DAYS, faults)),
            Retention.MOST_ROWS),
        find(environment, PRICES).flatMap(file -> prices(file, faults)));
  }

  Metering.Settings metering(Budgets budgets) {
    return new Metering.Settings(interval, budgets, retention);
  }

  private static int number(
      Map<String, String> environment,
      String name,
      int usual,
      int min,
      int max,
      List<String> faults) {
    Optional<String> text = find(environment, name);
    if (text.isEmpty()) {
      return usual;
    }
    if (text.get().matches("[0-9]{1,6}")) {
      int number = Integer.parseInt(text.get());
      if (number >= min && number <= max) {
        return number;
      }
    }
    faults.add("%s must be a number between %d and %d".formatted(name, min, max));
    return usual;
  }

  /** A price list that cannot be read must not mean that all is free. */
  private static Optional<Prices> prices(String file, List<String> faults) {
    try {
      Path path = Path.of(file);
      if (Files.size(path) > MAX_PRICES_BYTES) {
        faults.add("%s names a file that is too large for a price list".formatted(PRICES));
        return Optional.empty();
      }
      return Optional.of(Prices.parse(Files.readString(path)));
    } catch (IOException | InvalidPathException e) {
      faults.add("%s names a file that cannot be read: %s".formatted(PRICES, e.getMessage()));
    } catch (IllegalArgumentException e) {
      faults.add("%s names a file that is no price list: %s".formatted(PRICES, e.getMessage()));
    }
    return Optional.empty();
  }

  private static Optional<String> find(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name)).filter(text -> !text.isBlank());
  }
}
