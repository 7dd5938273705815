package dev.cove.edge.sandbox;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.http.Text;
import dev.cove.model.life.LifeRules;
import dev.cove.model.life.OnEnd;
import dev.cove.model.life.OnHostRestart;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a sandbox by itself, as callers say it and see it. Zero seconds are for ever, and
 * null says that the template or the server says it.
 */
public record LifeBody(
    Optional<Long> idleSeconds,
    Optional<Long> pausedSeconds,
    Optional<Boolean> keepAlive,
    Optional<Long> maxLifeSeconds,
    Optional<String> onEnd,
    Optional<String> onHostRestart,
    Optional<Instant> endsAt) {
  private static final String MAX_LIFE = "maxLifeSeconds";

  /** What holds for a sandbox, whoever said it. */
  static LifeBody of(Sandbox sandbox) {
    return of(sandbox.life(), sandbox.endsAt());
  }

  /** What a template says; nothing where it does not. */
  public static Optional<LifeBody> said(LifeRules rules) {
    return rules.equals(LifeRules.SILENT)
        ? Optional.empty()
        : Optional.of(of(rules, Optional.empty()));
  }

  private static LifeBody of(LifeRules rules, Optional<Instant> endsAt) {
    return new LifeBody(
        rules.idle().map(Duration::toSeconds),
        rules.pausedFor().map(Duration::toSeconds),
        rules.keepAlive(),
        rules.maxLife().map(Duration::toSeconds),
        rules.onEnd().map(OnEnd::publicName),
        rules.onHostRestart().map(OnHostRestart::publicName),
        endsAt);
  }

  /** What is said of something new. */
  public static LifeRules rules(@Nullable Map<String, @Nullable Object> said) {
    return said == null ? LifeRules.SILENT : change(LifeRules.SILENT, said);
  }

  /** What is not said stays as it is. */
  static LifeRules change(LifeRules now, Map<String, @Nullable Object> said) {
    LifeRules rules = now;
    for (var field : said.entrySet()) {
      rules = change(rules, field.getKey(), Optional.ofNullable(field.getValue()));
    }
    return rules;
  }

  /** Whether something is said that is counted from now. */
  static boolean beginsLife(Map<String, @Nullable Object> said) {
    return said.containsKey(MAX_LIFE);
  }

  private static LifeRules change(LifeRules rules, String name, Optional<Object> value) {
    return switch (name) {
      case "idleSeconds" -> rules.withIdle(seconds(name, value));
      case "pausedSeconds" -> rules.withPausedFor(seconds(name, value));
      case "keepAlive" -> rules.withKeepAlive(value.map(one -> flag(name, one)));
      case MAX_LIFE -> rules.withMaxLife(seconds(name, value));
      case "onEnd" -> rules.withOnEnd(value.map(one -> word(name, one, OnEnd.values())));
      case "onHostRestart" ->
          rules.withOnHostRestart(value.map(one -> word(name, one, OnHostRestart.values())));
      default -> throw new IllegalArgumentException("Unknown field " + Text.quote("life." + name));
    };
  }

  private static Optional<Duration> seconds(String name, Optional<Object> value) {
    return value.map(one -> {
      if (one instanceof Integer || one instanceof Long) {
        return Duration.ofSeconds(((Number) one).longValue());
      }
      throw new IllegalArgumentException("life.%s must be a whole number".formatted(name));
    });
  }

  private static boolean flag(String name, Object value) {
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw new IllegalArgumentException("life.%s must be true or false".formatted(name));
  }

  private static <T extends Enum<T>> T word(String name, Object value, T[] known) {
    Function<T, String> spelt = one -> one.name().toLowerCase(Locale.ROOT);
    return Arrays.stream(known)
        .filter(one -> spelt.apply(one).equals(value))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "life.%s must be %s"
                    .formatted(
                        name,
                        Arrays.stream(known).map(spelt).collect(Collectors.joining(" or ")))));
  }
}
