package dev.cove.control.service;

import dev.cove.control.template.TemplateVersion;
import dev.cove.model.SandboxSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A program that a sandbox is to have running.
 *
 * @param env over what every command in the sandbox gets
 * @param cwd where it starts; else where all commands of the sandbox do
 * @param user as whom; else as all commands of the sandbox
 * @param ready when those after it may be started
 * @param schedule when it is started; one without is started with its sandbox
 * @param ofTemplate whether it came with the template
 */
public record Service(
    String name,
    List<String> command,
    Map<String, String> env,
    Optional<String> cwd,
    Optional<String> user,
    Ready ready,
    Restart restart,
    Optional<Schedule> schedule,
    boolean ofTemplate) {
  /** So many a sandbox may have. */
  public static final int MAX = 16;

  /** What the start command of a template, and of a create that gives just one, is called. */
  public static final String START = "start";

  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_.-]{0,62}");
  private static final int MAX_WORDS = 1_024;
  private static final int MAX_CHARACTERS = 64 * 1024;
  private static final Duration USUAL_PATIENCE = Duration.ofSeconds(60);
  private static final Duration LONGEST_PATIENCE = Duration.ofMinutes(5);

  /** What is done when it ends. */
  public enum Restart {
    NEVER,
    ON_FAILURE,
    ALWAYS;

    public String publicName() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Optional<Restart> find(String name) {
      return Arrays.stream(values()).filter(rule -> rule.publicName().equals(name)).findFirst();
    }

    boolean appliesTo(int code) {
      return this == ALWAYS || (this == ON_FAILURE && code != 0);
    }
  }

  /**
   * How to tell that it can be used. With neither it needs no time.
   *
   * @param port somebody listens there; 0 for none
   * @param command succeeds; empty for none
   * @param patience how long that may take
   */
  public record Ready(int port, List<String> command, Duration patience) {
    public static final Ready AT_ONCE = new Ready(0, List.of(), USUAL_PATIENCE);

    public Ready {
      command = List.copyOf(command);
      if (port < 0 || port > 65_535) {
        throw new IllegalArgumentException("ready.port must be between 1 and 65535");
      }
      if (port > 0 && !command.isEmpty()) {
        throw new IllegalArgumentException("ready takes port or command, not both");
      }
      requireWords("ready.command", command);
      if (patience.isNegative() || patience.isZero() || patience.compareTo(LONGEST_PATIENCE) > 0) {
        throw new IllegalArgumentException("ready.timeoutMs must be between 1 and 300000");
      }
    }

    public static Ready onPort(int port, Optional<Duration> patience) {
      return new Ready(port, List.of(), patience.orElse(USUAL_PATIENCE));
    }

    public static Ready when(List<String> command, Optional<Duration> patience) {
      return new Ready(0, command, patience.orElse(USUAL_PATIENCE));
    }

    boolean atOnce() {
      return port == 0 && command.isEmpty();
    }
  }

  public Service {
    command = List.copyOf(command);
    env = Map.copyOf(env);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "A service's name is 1 to 63 lower-case letters, digits, dots, - and _, a letter or digit"
              + " first");
    }
    if (command.isEmpty() || command.getFirst().isEmpty()) {
      throw new IllegalArgumentException("The command of service " + name + " names no program");
    }
    requireWords("The command of service " + name, command);
    SandboxSpec.requireEnv(env);
    if (schedule.isPresent() && (restart == Restart.ALWAYS || !ready.atOnce())) {
      throw new IllegalArgumentException(
          "Service %s has a schedule, so it has to end: restart must be never or on-failure, and"
                  .formatted(name)
              + " nothing waits until it is ready");
    }
  }

  private static void requireWords(String what, List<String> words) {
    int characters = words.stream().mapToInt(String::length).sum();
    if (words.size() > MAX_WORDS || characters > MAX_CHARACTERS) {
      throw new IllegalArgumentException(
          "%s has more than %d words or %d characters".formatted(what, MAX_WORDS, MAX_CHARACTERS));
    }
    if (words.stream().anyMatch(word -> word.indexOf('\0') >= 0)) {
      throw new IllegalArgumentException(what + " contains a NUL character");
    }
  }

  /** The start command of a template, if it has one. */
  public static List<Service> of(TemplateVersion.Service template) {
    if (template.command().isEmpty()) {
      return List.of();
    }
    return List.of(
        new Service(
            START,
            template.command(),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            Ready.when(template.ready(), Optional.empty()),
            Restart.NEVER,
            Optional.empty(),
            true));
  }

  /** Whether it is the same but for where it came from. */
  boolean runsLike(Service other) {
    return equals(
        new Service(
            other.name,
            other.command,
            other.env,
            other.cwd,
            other.user,
            other.ready,
            other.restart,
            other.schedule,
            ofTemplate));
  }

  /** Refuses what cannot be side by side. */
  public static List<Service> requireTogether(List<Service> services) {
    if (services.size() > MAX) {
      throw new IllegalArgumentException(
          "services has %d entries, at most %d are allowed".formatted(services.size(), MAX));
    }
    if (services.stream().map(Service::name).distinct().count() < services.size()) {
      throw new IllegalArgumentException("Two services have the same name");
    }
    return List.copyOf(services);
  }
}
