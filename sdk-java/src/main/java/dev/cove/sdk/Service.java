package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A program that a sandbox is to have running. Each method gives a copy. */
public final class Service {
  private final String name;
  private final List<String> command;
  private final Map<String, String> env;
  private final Map<String, JsonValue> fields;

  /** What is done when it ends. */
  public enum Restart {
    NEVER("never"),
    /** Again unless it ended with 0, after a wait that grows, until it has failed too often. */
    ON_FAILURE("on-failure"),
    /** The same whatever it ended with. */
    ALWAYS("always");

    private final String publicName;

    Restart(String publicName) {
      this.publicName = publicName;
    }
  }

  private Service(
      String name, List<String> command, Map<String, String> env, Map<String, JsonValue> fields) {
    this.name = name;
    this.command = List.copyOf(command);
    this.env = env;
    this.fields = fields;
  }

  /**
   * @param name lower-case letters, digits, dots, - and _
   */
  public static Service of(String name, String... command) {
    return new Service(name, List.of(command), Map.of(), Map.of());
  }

  public String name() {
    return name;
  }

  public List<String> command() {
    return command;
  }

  /** A variable over those that every command in the sandbox gets. */
  public Service env(String variable, String value) {
    var more = new LinkedHashMap<>(env);
    more.put(variable, value);
    return new Service(name, command, more, fields);
  }

  public Service cwd(String folder) {
    return with("cwd", JsonValue.of(folder));
  }

  public Service user(String user) {
    return with("user", JsonValue.of(user));
  }

  /** Those after it are started when somebody listens there. */
  public Service readyOnPort(int port, Duration patience) {
    return with(
        "ready",
        JsonObject.builder().put("port", port).put("timeoutMs", patience.toMillis()).build());
  }

  /** Those after it are started when that command succeeds. */
  public Service readyWhen(Duration patience, String... check) {
    return with(
        "ready",
        JsonObject.builder()
            .put("command", JsonValue.ofTexts(List.of(check)))
            .put("timeoutMs", patience.toMillis())
            .build());
  }

  public Service restart(Restart rule) {
    return with("restart", JsonValue.of(rule.publicName));
  }

  /**
   * Started when its time comes instead of with its sandbox, which is woken for it.
   *
   * @param times {@code every 15m}, or the five fields of cron, in UTC
   */
  public Service schedule(String times) {
    return with("schedule", JsonValue.of(times));
  }

  private Service with(String field, JsonValue value) {
    var more = new LinkedHashMap<>(fields);
    more.put(field, value);
    return new Service(name, command, env, more);
  }

  JsonObject toBody() {
    var json = JsonObject.builder().put("name", name).put("command", JsonValue.ofTexts(command));
    if (!env.isEmpty()) {
      json.put("env", JsonObject.ofTexts(env));
    }
    fields.forEach(json::put);
    return json.build();
  }

  static Service of(JsonObject json) {
    var fields = new LinkedHashMap<String, JsonValue>();
    for (String field : List.of("cwd", "user", "ready", "restart", "schedule")) {
      json.find(field)
          .filter(value -> !(value instanceof JsonValue.Null))
          .ifPresent(value -> fields.put(field, value));
    }
    return new Service(
        json.requireText("name"), json.texts("command"), json.textMap("env"), fields);
  }

  /** The rule as the HTTP API calls it. */
  public String restartRule() {
    return text("restart").orElse("never");
  }

  /** When it is started, if that is not with its sandbox. */
  public Optional<String> times() {
    return text("schedule");
  }

  private Optional<String> text(String field) {
    return fields.get(field) instanceof JsonValue.Text(String text)
        ? Optional.of(text)
        : Optional.empty();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Service service && toBody().equals(service.toBody());
  }

  @Override
  public int hashCode() {
    return toBody().hashCode();
  }

  @Override
  public String toString() {
    return name + " " + String.join(" ", command);
  }
}
