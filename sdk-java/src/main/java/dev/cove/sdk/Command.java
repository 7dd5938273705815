package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A program to run in a sandbox, and how. Each method gives a copy. */
public final class Command {
  private record Terminal(int rows, int cols) {}

  private record Settings(
      String cwd,
      String user,
      Map<String, String> env,
      Duration timeout,
      boolean stdin,
      Optional<Terminal> terminal,
      boolean keep) {}

  private static final Settings PLAIN =
      new Settings("", "", Map.of(), Duration.ZERO, false, Optional.empty(), false);

  private final List<String> argv;
  private final Settings settings;

  private Command(List<String> argv, Settings settings) {
    this.argv = List.copyOf(argv);
    this.settings = settings;
  }

  /** A program and its arguments; no shell looks at them. */
  public static Command of(String... argv) {
    return of(List.of(argv));
  }

  public static Command of(List<String> argv) {
    if (argv.isEmpty()) {
      throw new IllegalArgumentException("A command needs a program");
    }
    return new Command(argv, PLAIN);
  }

  /** What the sandbox's template says; refused by the server when it says nothing. */
  public static Command entrypoint() {
    return new Command(List.of(), PLAIN);
  }

  /** A line for {@code sh -c}. */
  public static Command shell(String script) {
    return of("sh", "-c", script);
  }

  public Command cwd(String folder) {
    var s = settings;
    return with(new Settings(folder, s.user, s.env, s.timeout, s.stdin, s.terminal, s.keep));
  }

  /** A user name or number inside the sandbox. */
  public Command user(String user) {
    var s = settings;
    return with(new Settings(s.cwd, user, s.env, s.timeout, s.stdin, s.terminal, s.keep));
  }

  public Command env(String name, String value) {
    var s = settings;
    Map<String, String> more = new LinkedHashMap<>(s.env);
    more.put(name, value);
    return with(new Settings(s.cwd, s.user, more, s.timeout, s.stdin, s.terminal, s.keep));
  }

  /** At its end the command is killed and the result says that it timed out. */
  public Command timeout(Duration timeout) {
    var s = settings;
    return with(new Settings(s.cwd, s.user, s.env, timeout, s.stdin, s.terminal, s.keep));
  }

  /** Gives the command an input that {@link RunningCommand#stdin} writes to. */
  public Command openStdin() {
    var s = settings;
    return with(new Settings(s.cwd, s.user, s.env, s.timeout, true, s.terminal, s.keep));
  }

  /** Runs it in a terminal; its errors then arrive in its output. */
  public Command terminal(int rows, int cols) {
    var s = settings;
    var size = Optional.of(new Terminal(rows, cols));
    return with(new Settings(s.cwd, s.user, s.env, s.timeout, true, size, s.keep));
  }

  /** Lets it run on when the connection ends; see {@link Sandbox#attach}. */
  public Command keepRunning() {
    var s = settings;
    return with(new Settings(s.cwd, s.user, s.env, s.timeout, s.stdin, s.terminal, true));
  }

  private Command with(Settings changed) {
    return new Command(argv, changed);
  }

  Duration timeout() {
    return settings.timeout;
  }

  /** The fields that running and starting have in common. */
  JsonObject.Builder toJson() {
    var json = JsonObject.builder();
    if (!argv.isEmpty()) {
      json.put("command", JsonValue.ofTexts(argv));
    }
    if (!settings.cwd.isEmpty()) {
      json.put("cwd", settings.cwd);
    }
    if (!settings.user.isEmpty()) {
      json.put("user", settings.user);
    }
    if (!settings.env.isEmpty()) {
      json.put("env", JsonObject.ofTexts(settings.env));
    }
    if (settings.timeout.isPositive()) {
      json.put("timeoutMs", Math.max(1, settings.timeout.toMillis()));
    }
    return json;
  }

  /** The fields for a command that is watched while it runs. */
  JsonObject.Builder toProcessJson() {
    var json = toJson().put("stdin", settings.stdin);
    settings.terminal.ifPresent(size ->
        json.put(
            "terminal",
            JsonObject.builder().put("rows", size.rows).put("cols", size.cols).build()));
    return json;
  }

  /** The first message of a WebSocket that starts a command. */
  JsonObject toStartMessage() {
    return toProcessJson().put("type", "start").put("keep", settings.keep).build();
  }
}
