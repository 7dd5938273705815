package dev.cove.edge.e2b.sandbox;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.e2b.TrafficAccess;
import dev.cove.edge.e2b.secret.HeaderRules;
import dev.cove.edge.e2b.secret.RuleValues;
import dev.cove.edge.http.Fields;
import dev.cove.model.network.AddressRange;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkPolicy.Fallback;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox may reach, as E2B says it: everything but what is denied, and a permission beats a
 * denial. With us a denial beats a permission, so what is permitted is cut out of what is denied.
 */
final class OutRules {
  private static final String EVERYTHING = "0.0.0.0/0";

  private OutRules() {}

  /** What a caller says; what is left out is as it is with no rules. */
  record Wanted(
      @Nullable List<@Nullable String> allowOut,
      @Nullable List<@Nullable String> denyOut,
      @Nullable Boolean allowPublicTraffic,
      @Nullable String maskRequestHost,
      @Nullable List<@Nullable Integer> httpsPorts,
      @Nullable Object egressProxy,
      @Nullable Map<String, @Nullable List<HeaderRules.@Nullable Rule>> rules) {
    static final Wanted NOTHING = new Wanted(null, null, null, null, null, null, null);
  }

  /** As they are told. */
  record Shown(
      List<String> allowOut,
      List<String> denyOut,
      boolean allowPublicTraffic,
      Optional<String> maskRequestHost,
      Map<String, List<Map<String, Object>>> rules) {}

  static NetworkSettings settings(
      @Nullable Boolean internet, @Nullable Wanted wanted, RuleValues values) {
    Wanted rules = wanted == null ? Wanted.NOTHING : wanted;
    requireKnown(rules);
    List<String> allow = texts("network.allowOut", rules.allowOut());
    List<String> deny = new ArrayList<>(texts("network.denyOut", rules.denyOut()));
    if (Boolean.FALSE.equals(internet)) {
      deny.add(EVERYTHING);
    }
    return NetworkSettings.NOTHING
        .with(policy(allow, deny))
        .with(HeaderRules.bindings(rules.rules(), values));
  }

  private static void requireKnown(Wanted rules) {
    if (rules.egressProxy() != null) {
      throw new IllegalArgumentException("network.egressProxy is not supported by this server");
    }
    if (rules.httpsPorts() != null && !rules.httpsPorts().isEmpty()) {
      throw new IllegalArgumentException("network.httpsPorts is not supported by this server");
    }
  }

  private static List<String> texts(String field, @Nullable List<@Nullable String> list) {
    return list == null ? List.of() : Fields.textList(field, list);
  }

  static NetworkPolicy policy(List<String> allow, List<String> deny) {
    List<AddressRange> denied = new ArrayList<>();
    for (String text : deny) {
      denied.add(
          range(text)
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "network.denyOut takes addresses and address ranges, not %.64s"
                          .formatted(text))));
    }
    if (denied.contains(AddressRange.of(EVERYTHING))) {
      return new NetworkPolicy(
          Fallback.DENY, Set.of(), allow.stream().map(OutRules::rule).toList(), List.of());
    }
    List<AddressRange> allowed = new ArrayList<>();
    for (String text : allow) {
      allowed.add(
          range(text)
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      "When you have domains in network.allowOut, denyOut must contain "
                          + EVERYTHING)));
    }
    List<NetworkRule> rules =
        denied.stream()
            .flatMap(range -> range.without(allowed).stream())
            .map(range -> rule(range.toString()))
            .toList();
    return new NetworkPolicy(Fallback.ALLOW, Set.of(), List.of(), rules);
  }

  private static Optional<AddressRange> range(String text) {
    try {
      return Optional.of(AddressRange.containing(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static NetworkRule rule(String text) {
    String host = range(text).map(AddressRange::toString).orElse(text);
    return NetworkRule.of(host.indexOf(':') >= 0 ? "[" + host + "]" : host);
  }

  /** In E2B's words, whoever has set them. */
  static Shown shown(Sandbox sandbox) {
    NetworkPolicy policy = sandbox.spec().network().policy();
    List<String> deny = new ArrayList<>(policy.deny().stream().map(NetworkRule::toString).toList());
    if (policy.fallback() != Fallback.ALLOW) {
      deny.addFirst(EVERYTHING);
    }
    return new Shown(
        policy.allow().stream().map(NetworkRule::toString).toList(),
        deny,
        TrafficAccess.isPublic(sandbox),
        TrafficAccess.maskedHost(sandbox),
        HeaderRules.shown(sandbox.spec().network().secrets()));
  }
}
