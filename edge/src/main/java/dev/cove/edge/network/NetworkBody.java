package dev.cove.edge.network;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Text;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.Preset;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a sandbox is to reach, as callers write it. What is left out is empty. */
public record NetworkBody(
    @JsonProperty("default") @Nullable String fallback,
    @Nullable List<@Nullable String> presets,
    @Nullable List<@Nullable String> allow,
    @Nullable List<@Nullable String> deny,
    @Nullable Boolean attended) {
  /** The same, as they read it. */
  public record Shown(
      @JsonProperty("default") String fallback,
      List<String> presets,
      List<String> allow,
      List<String> deny,
      boolean attended) {
    static Shown of(NetworkSettings settings) {
      NetworkPolicy policy = settings.policy();
      return new Shown(
          policy.fallback().publicName(),
          policy.sortedPresets().stream().map(Preset::publicName).toList(),
          policy.allow().stream().map(NetworkRule::toString).toList(),
          policy.deny().stream().map(NetworkRule::toString).toList(),
          settings.attended());
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
        Boolean.TRUE.equals(attended));
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
