package dev.cove.model.network;

import dev.cove.model.network.Destination.Host;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict.Outcome;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a sandbox may reach: a denial beats a permission, and what nothing speaks of is left to the
 * fallback. What no policy can allow is not its matter.
 */
public record NetworkPolicy(
    Fallback fallback, Set<Preset> presets, List<NetworkRule> allow, List<NetworkRule> deny) {
  public static final int MAX_RULES = 512;

  /** Nothing can be reached. */
  public static final NetworkPolicy NOTHING =
      new NetworkPolicy(Fallback.DENY, Set.of(), List.of(), List.of());

  /** Everything that can be reached at all. */
  public static final NetworkPolicy EVERYTHING =
      new NetworkPolicy(Fallback.ALLOW, Set.of(), List.of(), List.of());

  /** What becomes of a destination that no rule speaks of. */
  public enum Fallback {
    ALLOW(Outcome.ALLOWED),
    DENY(Outcome.DENIED),
    ASK(Outcome.ASK);

    private final Outcome outcome;

    Fallback(Outcome outcome) {
      this.outcome = outcome;
    }

    public String publicName() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Fallback> find(String publicName) {
      return Arrays.stream(values())
          .filter(fallback -> fallback.publicName().equals(publicName))
          .findFirst();
    }
  }

  public NetworkPolicy {
    presets = Set.copyOf(presets);
    allow = List.copyOf(allow);
    deny = List.copyOf(deny);
    if (allow.size() + deny.size() > MAX_RULES) {
      throw new IllegalArgumentException(
          "A network policy has at most %d rules".formatted(MAX_RULES));
    }
  }

  /** What is to become of a connection, before any of its bytes are known. */
  public Verdict decide(Destination destination) {
    Optional<Verdict> denial = denies(destination);
    if (denial.isPresent()) {
      return denial.get();
    }
    boolean someDenied = deny.stream().anyMatch(rule -> rule.matches(destination));
    Optional<Verdict> permission = permission(destination);
    if (someDenied && (fallback != Fallback.DENY || permission.isPresent())) {
      return new Verdict(Outcome.BY_REQUEST, "deny " + first(deny, destination));
    }
    if (permission.isPresent()) {
      return permission.get();
    }
    return allow.stream().anyMatch(rule -> rule.matches(destination))
        ? new Verdict(Outcome.BY_REQUEST, "allow " + first(allow, destination))
        : byFallback();
  }

  private static NetworkRule first(List<NetworkRule> rules, Destination destination) {
    return rules.stream().filter(rule -> rule.matches(destination)).findFirst().orElseThrow();
  }

  /** One that holds for the connection whatever is sent over it. */
  private Optional<Verdict> permission(Destination destination) {
    for (NetworkRule rule : allow) {
      if (!rule.conditional() && rule.matches(destination)) {
        return Optional.of(permission(rule));
      }
    }
    for (Preset preset : Preset.values()) {
      if (presets.contains(preset)
          && preset.rules().stream().anyMatch(rule -> rule.matches(destination))) {
        return Optional.of(new Verdict(Outcome.ALLOWED, "allow preset " + preset.publicName()));
      }
    }
    return Optional.empty();
  }

  /** What is to become of one request to a destination. */
  public Verdict decide(Destination destination, Request request) {
    for (NetworkRule rule : deny) {
      if (rule.matches(destination) && rule.mayMatch(request)) {
        return denial(rule);
      }
    }
    for (NetworkRule rule : allow) {
      if (rule.matches(destination) && rule.matches(request)) {
        return permission(rule);
      }
    }
    return permission(destination).orElseGet(this::byFallback);
  }

  /**
   * The ports at which a decision about a host can differ from the one at the port before: whoever
   * asks about these has asked about all.
   */
  public SortedSet<Integer> tellingPorts(Host host) {
    var ports = new TreeSet<>(Set.of(PortRange.ANY.first()));
    everyRule()
        .filter(rule -> rule.speaksOf(host))
        .map(NetworkRule::ports)
        .forEach(range -> ports.addAll(List.of(range.first(), range.last() + 1)));
    ports.remove(PortRange.ANY.last() + 1);
    return ports;
  }

  private Stream<NetworkRule> everyRule() {
    return Stream.of(
            allow.stream(), deny.stream(), presets.stream().flatMap(p -> p.rules().stream()))
        .flatMap(rules -> rules);
  }

  /** Whether a rule denies it, and not only the want of one that allows it. */
  public Optional<Verdict> denies(Destination destination) {
    return deny.stream()
        .filter(rule -> !rule.conditional() && rule.matches(destination))
        .map(NetworkPolicy::denial)
        .findFirst();
  }

  /** Whether the address that a name leads to is denied as such. */
  public Optional<Verdict> denies(InetAddress address, int port) {
    return deny.stream()
        .filter(rule -> !rule.conditional() && rule.covers(address, port))
        .map(NetworkPolicy::denial)
        .findFirst();
  }

  private static Verdict denial(NetworkRule rule) {
    return new Verdict(Outcome.DENIED, "deny " + rule);
  }

  private static Verdict permission(NetworkRule rule) {
    return new Verdict(Outcome.ALLOWED, "allow " + rule);
  }

  private Verdict byFallback() {
    return new Verdict(fallback.outcome, "default " + fallback.publicName());
  }

  public NetworkPolicy alsoAllowing(NetworkRule rule) {
    return new NetworkPolicy(fallback, presets, with(allow, rule), without(deny, rule));
  }

  public NetworkPolicy alsoDenying(NetworkRule rule) {
    return new NetworkPolicy(fallback, presets, without(allow, rule), with(deny, rule));
  }

  private static List<NetworkRule> with(List<NetworkRule> rules, NetworkRule rule) {
    if (rules.contains(rule)) {
      return rules;
    }
    var more = new ArrayList<>(rules);
    more.add(rule);
    return more;
  }

  private static List<NetworkRule> without(List<NetworkRule> rules, NetworkRule rule) {
    return rules.stream().filter(other -> !other.equals(rule)).toList();
  }

  /** In a lasting order, for listings. */
  public Set<Preset> sortedPresets() {
    return presets.isEmpty() ? presets : EnumSet.copyOf(presets);
  }
}
