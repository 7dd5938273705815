package dev.cove.edge.network;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Text;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.Preset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a sandbox is to reach, as callers write it. What is left out is empty. */
public record NetworkBody(
    @JsonProperty("default") @Nullable String fallback,
    @Nullable List<@Nullable String> presets,
    @Nullable List<@Nullable String> allow,
    @Nullable List<@Nullable String> deny,
    @Nullable Boolean attended,
    @Nullable LimitsBody limits) {
  /** How much of the network a sandbox may have; what is left out is up to the server. */
  public record LimitsBody(
      @Nullable Integer connections,
      @Nullable Integer newConnectionsPerSecond,
      @Nullable Integer nameQueriesPerSecond,
      @Nullable Long bytesPerHour) {
    NetworkLimits toLimits() {
      return new NetworkLimits(
          (int) limit("connections", connections),
          (int) limit("newConnectionsPerSecond", newConnectionsPerSecond),
          (int) limit("nameQueriesPerSecond", nameQueriesPerSecond),
          limit("bytesPerHour", bytesPerHour));
    }

    private static long limit(String name, @Nullable Number given) {
      if (given != null && given.longValue() < 1) {
        throw new IllegalArgumentException(
            "network.limits.%s must be at least 1; leave it out for the server's".formatted(name));
      }
      return given == null ? 0 : given.longValue();
    }
  }

  /** Those that were set. */
  record ShownLimits(
      Optional<Integer> connections,
      Optional<Integer> newConnectionsPerSecond,
      Optional<Integer> nameQueriesPerSecond,
      Optional<Long> bytesPerHour) {
    static Optional<ShownLimits> of(NetworkLimits limits) {
      return limits.equals(NetworkLimits.NONE)
          ? Optional.empty()
          : Optional.of(
              new ShownLimits(
                  set(limits.connections()),
                  set(limits.newConnections()),
                  set(limits.nameQueries()),
                  Optional.of(limits.bytesPerHour()).filter(number -> number > 0)));
    }

    private static Optional<Integer> set(int number) {
      return Optional.of(number).filter(n -> n > 0);
    }
  }

  /** The same, as they read it. */
  public record Shown(
      @JsonProperty("default") String fallback,
      List<String> presets,
      List<String> allow,
      List<String> deny,
      boolean attended,
      Optional<ShownLimits> limits) {
    public static Shown of(NetworkSettings settings) {
      NetworkPolicy policy = settings.policy();
      return new Shown(
          policy.fallback().publicName(),
          policy.sortedPresets().stream().map(Preset::publicName).toList(),
          policy.allow().stream().map(NetworkRule::toString).toList(),
          policy.deny().stream().map(NetworkRule::toString).toList(),
          settings.attended(),
          ShownLimits.of(settings.limits()));
    }
  }

  public NetworkSettings toSettings() {
    Fallback ofTheRest =
        fallback == null
            ? Fallback.DENY
            : Fallback.find(fallback)
                .orElseThrow(() ->
                    new IllegalArgumentException("network.default must be allow, deny or ask"));
    return new NetworkSettings(
            new NetworkPolicy(
                ofTheRest,
                presetsOf("network.presets", presets),
                rulesOf("network.allow", allow),
                rulesOf("network.deny", deny)),
            Boolean.TRUE.equals(attended))
        .with(limits == null ? NetworkLimits.NONE : limits.toLimits());
  }

  static List<NetworkRule> rulesOf(String field, @Nullable List<@Nullable String> texts) {
    if (texts == null) {
      return List.of();
    }
    if (texts.size() > NetworkPolicy.MAX_RULES) {
      throw new IllegalArgumentException(
          "%s has %d rules, at most %d are allowed"
              .formatted(field, texts.size(), NetworkPolicy.MAX_RULES));
    }
    return texts.stream().map(text -> rule(field, Fields.require(field + "[]", text))).toList();
  }

  private static NetworkRule rule(String field, String text) {
    try {
      return NetworkRule.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s: %s is no rule: %s".formatted(field, Text.quote(text), e.getMessage()), e);
    }
  }

  private static Set<Preset> presetsOf(String field, @Nullable List<@Nullable String> names) {
    if (names == null) {
      return Set.of();
    }
    return names.stream()
        .map(name -> Fields.require(field + "[]", name))
        .map(name ->
            Preset.find(name)
                .orElseThrow(() ->
                    new IllegalArgumentException(
                        "%s: there is no preset %s, but %s"
                            .formatted(
                                field, Text.quote(name), String.join(", ", Preset.names())))))
        .collect(Collectors.toUnmodifiableSet());
  }
}
