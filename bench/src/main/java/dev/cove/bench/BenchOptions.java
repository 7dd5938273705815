package dev.cove.bench;

import dev.cove.bench.measure.Effort;
import dev.cove.bench.measure.Measurement;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the user asked for.
 *
 * @param only names of measurements; empty for all
 * @param minutes how long the steady load goes on, if it was said
 * @param launcher the {@code cove} to measure, if it was named
 */
record BenchOptions(
    boolean help,
    boolean json,
    boolean quick,
    boolean check,
    Set<String> only,
    OptionalInt minutes,
    Optional<Path> launcher) {

  private static final int MOST_MINUTES = 24 * 60;

  static final String USAGE =
      """
      Usage: cove bench [NAME,...] [--quick] [--json] [--check] [--minutes N] [--cove FILE]

      Measures Cove over its HTTP API, on servers of its own that are removed afterwards, beside
      whichever of runc, crun, runsc, bwrap, docker and podman are installed.

        --quick       fewer rounds, 5 s instead of 30 s, 100 sandboxes instead of 1,000
        NAME          only these measurements, also as --only NAME: %s;
                      storage stands for checkpoint, apt and pull, soak for load, churn and paused
        --json        the report as JSON on standard output
        --check       end with exit code 1 when a figure to reach is missed
        --minutes N   how long the load of soak goes on, 1 to 1,440, usually 5
        --cove FILE   the launcher to measure, by default the one that started this
        --help        this text
      """
          .formatted(names().stream().collect(Collectors.joining(", ")));

  /** The user asked for something that there is not. */
  static final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UsageException(String message) {
      super(message);
    }
  }

  private static List<String> names() {
    return Measurement.all().stream().map(Measurement::name).toList();
  }

  static BenchOptions parse(List<String> arguments) {
    boolean help = false;
    boolean json = false;
    boolean quick = false;
    boolean check = false;
    Set<String> only = Set.of();
    OptionalInt minutes = OptionalInt.empty();
    Optional<Path> launcher = Optional.empty();
    var rest = arguments.iterator();
    while (rest.hasNext()) {
      String argument = rest.next();
      switch (argument) {
        case "--help", "-h" -> help = true;
        case "--json" -> json = true;
        case "--quick" -> quick = true;
        case "--check" -> check = true;
        case "--only", "--minutes", "--cove" -> {
          if (!rest.hasNext()) {
            throw new UsageException(argument + " needs a value.");
          }
          String value = rest.next();
          switch (argument) {
            case "--only" -> only = measurements(value);
            case "--minutes" -> minutes = OptionalInt.of(minutes(value));
            default -> launcher = Optional.of(Path.of(value).toAbsolutePath());
          }
        }
        default -> {
          if (argument.startsWith("-")) {
            throw new UsageException("There is no option " + argument + ".");
          }
          only = measurements(argument);
        }
      }
    }
    return new BenchOptions(help, json, quick, check, only, minutes, launcher);
  }

  private static int minutes(String value) {
    try {
      int minutes = Integer.parseInt(value);
      if (minutes >= 1 && minutes <= MOST_MINUTES) {
        return minutes;
      }
    } catch (NumberFormatException _) {
      // said below
    }
    throw new UsageException("--minutes takes a number from 1 to 1440, not \"" + value + "\".");
  }

  Effort effort() {
    Effort usual = quick ? Effort.QUICK : Effort.FULL;
    return minutes.isPresent() ? usual.soaking(Duration.ofMinutes(minutes.getAsInt())) : usual;
  }

  private static Set<String> measurements(String list) {
    var chosen = new LinkedHashSet<String>();
    for (String name : list.split(",")) {
      List<String> meant =
          Measurement.all().stream()
              .filter(one -> one.name().equals(name) || one.group().equals(name))
              .map(Measurement::name)
              .toList();
      chosen.addAll(meant);
      if (meant.isEmpty()) {
        throw new UsageException(
            "There is no measurement \""
                + name
                + "\"; there are "
                + String.join(", ", names())
                + ".");
      }
    }
    return Set.copyOf(chosen);
  }

  List<Measurement> chosen() {
    return Measurement.all().stream()
        .filter(measurement -> only.isEmpty() || only.contains(measurement.name()))
        .toList();
  }
}
