package dev.cove.server;

import dev.cove.server.log.LogFormat;
import dev.cove.server.log.LogSetup;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * All that can be set, read once at start-up. An option wins over a variable.
 *
 * @param host the address to listen on; other machines can reach it only if told so here
 * @param port 0 for any free one
 * @param domain below which ports of sandboxes have names
 * @param makesBase whether the template that E2B's clients begin with is made when they want it
 * @param tiers what holds sandboxes
 * @param memory how much of it there is for sandboxes
 * @param network what the operator says about the ways out of all sandboxes
 * @param traces where they go
 * @param usage how what sandboxes use is counted, and what it costs
 * @param sandboxLogKb what is kept of what the services of one sandbox say
 * @param serviceBackoffMs before a service is started again for the first time; then it doubles
 * @param createWaitMs how long a create waits at most on a machine that is full
 * @param createQueue how many creates of one project may wait then
 * @param diskReserveMb what must stay free on the disk of the data; no checkpoint is taken below
 * @param life what the operator says about how long sandboxes run and rest by themselves
 */
record ServerConfig(
    String host,
    int port,
    String domain,
    boolean makesBase,
    Home home,
    int maxSandboxes,
    TierConfig tiers,
    MemoryConfig memory,
    int diskReserveMb,
    int sandboxLogKb,
    int serviceBackoffMs,
    int createWaitMs,
    int createQueue,
    NetworkConfig network,
    UsageConfig usage,
    LifeConfig life,
    TraceConfig traces) {
  /** At so many times the reserve, layers that nobody needs are looked for. */
  private static final int EARLY = 8;

  /** A port, an id and a dot still fit before it. */
  private static final int LONGEST_DOMAIN = 200;

  private static final Pattern DOMAIN =
      Pattern.compile("([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

  private static final String MADE = "debian";
  private static final String HOST = "host";

  private static final Set<String> OPTIONS = Set.of("--host", "--port", "--home");

  /** Refuses what it does not understand, naming all that is wrong at once. */
  static ServerConfig read(List<String> arguments, Map<String, String> environment) {
    var faults = new ArrayList<String>();
    Map<String, String> options = options(arguments, faults);
    var source = new Source(options, environment, faults);
    var config =
        new ServerConfig(
            source.text("--host", "COVE_HOST", "127.0.0.1"),
            source.number("--port", "COVE_PORT", 7070, 0, 65_535),
            source.domain("COVE_DOMAIN", "localhost"),
            source.makesBase("COVE_E2B_BASE"),
            source.home(),
            source.number("", "COVE_MAX_SANDBOXES", 2_000, 1, 100_000),
            TierConfig.read(
                environment,
                source.number("", "COVE_POOL_SIZE", 32, 0, 1_000),
                source.number("", "COVE_STRONG_POOL_SIZE", 2, 0, 1_000),
                faults),
            source.memory(),
            source.number("", "COVE_DISK_RESERVE_MB", 128, 0, 4_194_304),
            source.number("", "COVE_SANDBOX_LOG_KB", 8_192, 128, 1_048_576),
            source.number("", "COVE_SERVICE_BACKOFF_MS", 1_000, 10, 60_000),
            source.number("", "COVE_CREATE_WAIT_MS", 10_000, 0, 50_000),
            source.number("", "COVE_CREATE_QUEUE", 500, 0, 10_000),
            NetworkConfig.read(environment, faults),
            UsageConfig.read(environment, faults),
            LifeConfig.read(environment, faults),
            TraceConfig.read(environment, faults));
    if (LogFormat.find(environment.getOrDefault(LogFormat.SETTING, "")).isEmpty()) {
      faults.add(LogFormat.SETTING + " must be text or json");
    }
    source.requireLogLevel();
    if (!faults.isEmpty()) {
      throw new ConfigException(faults);
    }
    return config;
  }

  private static Map<String, String> options(List<String> arguments, List<String> faults) {
    var options = new HashMap<String, String>();
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      if (!OPTIONS.contains(name)) {
        faults.add("There is no option %s; known are --host, --port and --home".formatted(name));
      } else if (equals >= 0) {
        options.put(name, argument.substring(equals + 1));
      } else if (i + 1 == arguments.size()) {
        faults.add("The option %s needs a value".formatted(name));
      } else {
        options.put(name, arguments.get(++i));
      }
    }
    return options;
  }

  private record Source(
      Map<String, String> options, Map<String, String> environment, List<String> faults) {
    String text(String option, String variable, String otherwise) {
      String value = find(option, variable).orElse(otherwise);
      if (value.isBlank() || value.chars().anyMatch(c -> c <= ' ' || c == '"' || c > '~')) {
        faults.add("%s is not a host name or address".formatted(nameOf(option, variable)));
      }
      return value;
    }

    /** Debian from packages, or the host's own programs. */
    boolean makesBase(String variable) {
      String value = find("", variable).orElse(MADE);
      if (!value.equals(MADE) && !value.equals(HOST)) {
        faults.add("%s must be %s or %s".formatted(variable, MADE, HOST));
      }
      return value.equals(MADE);
    }

    /** A name that others can stand below; not an address. */
    String domain(String variable, String otherwise) {
      String value = find("", variable).orElse(otherwise);
      if (value.length() > LONGEST_DOMAIN || !DOMAIN.matcher(value).matches()) {
        faults.add("%s is not a domain name in lower case".formatted(variable));
      }
      return value;
    }

    MemoryConfig memory() {
      return MemoryConfig.of(
          number("", "COVE_MEMORY_RESERVE_MB", 512, 0, 4_194_304),
          number("", "COVE_MEMORY_MB", 0, 64, 67_108_864),
          number("", "COVE_MEMORY_OVERCOMMIT", 100, 1, 10_000));
    }

    int number(String option, String variable, int otherwise, int min, int max) {
      Optional<String> text = find(option, variable);
      if (text.isEmpty()) {
        return otherwise;
      }
      try {
        int number = Integer.parseInt(text.get());
        if (number >= min && number <= max) {
          return number;
        }
      } catch (NumberFormatException _) {
        // Said below, as for a number out of range.
      }
      faults.add(
          "%s must be a number between %d and %d".formatted(nameOf(option, variable), min, max));
      return otherwise;
    }

    /** It is read where logs begin, long before this. */
    void requireLogLevel() {
      if (!LogSetup.LEVELS.contains(find("", LogSetup.LEVEL).orElse("info"))) {
        faults.add(LogSetup.LEVEL + " must be info, debug or trace");
      }
    }

    Home home() {
      Optional<String> folder = find("--home", "COVE_HOME");
      if (folder.isEmpty()) {
        return Home.DEFAULT;
      }
      try {
        return Home.in(Path.of(folder.get()));
      } catch (InvalidPathException _) {
        faults.add(nameOf("--home", "COVE_HOME") + " is not a path");
        return Home.DEFAULT;
      }
    }

    private Optional<String> find(String option, String variable) {
      String given = options.getOrDefault(option, environment.get(variable));
      return Optional.ofNullable(given).filter(text -> !text.isEmpty());
    }

    private String nameOf(String option, String variable) {
      return options.containsKey(option) ? option : variable;
    }
  }

  long sandboxLogBytes() {
    return sandboxLogKb * 1024L;
  }

  long diskReserveBytes() {
    return diskReserveMb * 1024L * 1024L;
  }

  long diskWantedBytes() {
    return EARLY * diskReserveBytes();
  }

  boolean reachableFromOutside() {
    return !(host.equals("localhost") || host.startsWith("127.") || host.equals("::1"));
  }
}
