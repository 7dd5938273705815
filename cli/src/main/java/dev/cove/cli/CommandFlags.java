package dev.cove.cli;

import dev.cove.sdk.Command;
import dev.cove.sdk.SandboxInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How a command is to run. */
final class CommandFlags {
  /** Whether our input goes to the command. */
  enum Interactive {
    auto,
    yes,
    no
  }

  private Optional<String> user = Optional.empty();

  private Optional<String> cwd = Optional.empty();

  private Map<String, String> env = Map.of();

  private Optional<Duration> timeout = Optional.empty();

  private boolean tty;

  private Interactive interactive = Interactive.auto;

  void describe(Description verb) {
    verb.text(
            "-u --user",
            "USER",
            "Run as this user of the sandbox; default 'user'.",
            v -> user = Optional.of(v))
        .text(
            "-w --cwd",
            "FOLDER",
            "Run in this folder; default the project's, or the user's home.",
            v -> cwd = Optional.of(v))
        .pairs("-e --env", "A variable for the command; may be given often.", v -> env = v)
        .value(
            "--timeout",
            "TIME",
            "Kill the command after this time: 500ms, 30s, 5m, 1h.",
            new Time(),
            Duration.class,
            v -> timeout = Optional.of(v))
        .flag("-t --tty", "Give the command a terminal.", () -> tty = true)
        .optionalValue(
            "-i --interactive",
            "WHEN",
            "yes",
            "Pass our input on: yes, no, or auto (the default), which means yes unless the input"
                + " is /dev/null. Say --interactive=no inside a loop that reads its own input.",
            Interactive.class,
            v -> interactive = v);
  }

  boolean tty() {
    return tty;
  }

  Interactive interactive() {
    return interactive;
  }

  /**
   * @param argv empty for what the template says
   */
  Command command(List<String> argv, SandboxInfo box) {
    Command command = argv.isEmpty() ? Command.entrypoint() : Command.of(argv);
    if (user.isPresent()) {
      command = command.user(user.get());
    }
    Optional<String> folder = cwd.or(() -> ProjectFolders.workingFolder(box));
    if (folder.isPresent()) {
      command = command.cwd(folder.get());
    }
    if (timeout.isPresent()) {
      command = command.timeout(timeout.get());
    }
    for (var variable : env.entrySet()) {
      command = command.env(variable.getKey(), variable.getValue());
    }
    return command;
  }

  /** A command line without the delimiter that may stand before it. */
  static List<String> withoutDelimiter(List<String> words) {
    return !words.isEmpty() && words.getFirst().equals("--")
        ? words.subList(1, words.size())
        : words;
  }

  /** Reads a time such as {@code 30s}; a bare number is seconds. */
  static final class Time implements ITypeConverter<Duration> {
    private final Duration longest;
    private final String longestText;

    Time() {
      this(Duration.ofDays(1), "24h");
    }

    Time(Duration longest, String longestText) {
      this.longest = longest;
      this.longestText = longestText;
    }

    @Override
    public Duration convert(String text) {
      if (!text.matches("[0-9]{1,9}(ms|s|m|h|d)?")) {
        throw new TypeConversionException("'" + text + "' is not a time such as 500ms, 30s or 5m");
      }
      long number = Long.parseLong(text.replaceAll("[a-z]", ""));
      Duration time =
          switch (text.replaceAll("[0-9]", "")) {
            case "ms" -> Duration.ofMillis(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            case "d" -> Duration.ofDays(number);
            default -> Duration.ofSeconds(number);
          };
      if (time.isZero() || time.compareTo(longest) > 0) {
        throw new TypeConversionException("'" + text + "' is not between 1ms and " + longestText);
      }
      return time;
    }
  }
}
