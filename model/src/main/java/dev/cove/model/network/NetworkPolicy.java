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

  /** Whether what becomes of a connection may depend on what is sent over it. */
  public boolean looksAtRequests() {
    return Stream.concat(allow.stream(), deny.stream()).anyMatch(NetworkRule::conditional);
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
    Optional<Verdict> denial = denies(destination, request);
    if (denial.isPresent()) {
      return denial.get();
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

  /** Whether a rule denies some requests there, and not all. */
  public Optional<Verdict> deniesSome(Destination destination) {
    return deny.stream()
        .filter(rule -> rule.conditional() && rule.matches(destination))
        .map(rule -> new Verdict(Outcome.BY_REQUEST, "deny " + rule))
        .findFirst();
  }

  /** Whether a rule denies one request there. */
  public Optional<Verdict> denies(Destination destination, Request request) {
    return deny.stream()
        .filter(rule -> rule.matches(destination) && rule.mayMatch(request))
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

  /**
   * One line for each thing: {@code default deny}, {@code preset packages}, {@code allow
   * example.com:443 GET /v1/*}, {@code deny *.example.com}. Empty lines, and what begins with
   * {@code #}, say nothing.
   *
   * @throws IllegalArgumentException naming the line
   */
  public static NetworkPolicy parse(String text) {
    NetworkPolicy policy = NOTHING;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      try {
        policy = policy.with(line.strip());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("Line %d: %s".formatted(number, e.getMessage()), e);
      }
    }
    return policy;
  }

  private NetworkPolicy with(String line) {
    int space = line.indexOf(' ');
    String word = space < 0 ? line : line.substring(0, space);
    String rest = space < 0 ? "" : line.substring(space).strip();
    return switch (word) {
      case "default" -> new NetworkPolicy(requireFallback(rest), presets, allow, deny);
      case "preset" -> alsoAllowing(requirePreset(rest));
      case "allow" ->
          new NetworkPolicy(fallback, presets, with(allow, NetworkRule.parse(rest)), deny);
      case "deny" ->
          new NetworkPolicy(fallback, presets, allow, with(deny, NetworkRule.parse(rest)));
      default ->
          throw new IllegalArgumentException(
              "A line of a network policy begins with default, preset, allow or deny");
    };
  }

  private static Fallback requireFallback(String name) {
    return Fallback.find(name)
        .orElseThrow(() -> new IllegalArgumentException("The default is allow, deny or ask"));
  }

  private static Preset requirePreset(String name) {
    return Preset.find(name)
        .orElseThrow(() ->
            new IllegalArgumentException("The presets are " + String.join(", ", Preset.names())));
  }

  public NetworkPolicy alsoAllowing(Preset preset) {
    var more = EnumSet.of(preset);
    more.addAll(presets);
    return new NetworkPolicy(fallback, more, allow, deny);
  }

  /** As {@link #parse} reads it. */
  public String text() {
    var text = new StringBuilder("default ").append(fallback.publicName()).append('\n');
    sortedPresets()
        .forEach(preset -> text.append("preset ").append(preset.publicName()).append('\n'));
    allow.forEach(rule -> text.append("allow ").append(rule).append('\n'));
    deny.forEach(rule -> text.append("deny ").append(rule).append('\n'));
    return text.toString();
  }

  /** In a lasting order, for listings. */
  public Set<Preset> sortedPresets() {
    return presets.isEmpty() ? presets : EnumSet.copyOf(presets);
  }
}
