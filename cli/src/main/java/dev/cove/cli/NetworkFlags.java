package dev.cove.cli;

import dev.cove.sdk.Network;
import dev.cove.sdk.NetworkLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.TypeConversionException;

/** What is said about what a sandbox may reach. */
final class NetworkFlags {
  static final String RULE = "RULE";

  private Optional<String> fallback = Optional.empty();

  private List<String> presets = List.of();

  private List<String> allow = List.of();

  private List<String> deny = List.of();

  private final List<String> morePresets = new ArrayList<>();

  private final List<String> moreAllow = new ArrayList<>();

  private boolean attended;

  private Optional<Integer> connections = Optional.empty();

  private Optional<Integer> newConnections = Optional.empty();

  private Optional<Integer> nameQueries = Optional.empty();

  private Optional<Megabytes.Size> perHour = Optional.empty();

  void describe(Description verb) {
    verb.value(
            "--network",
            "allow|deny|ask",
            "What becomes of all that no rule speaks of; default 'deny'.",
            NetworkFlags::fallback,
            String.class,
            v -> fallback = Optional.of(v))
        .values(
            "--allow",
            RULE,
            "What it may reach, such as example.com:443, *.example.com, 192.0.2.0/24 or"
                + " 'example.com GET /v1/*'; may be given often.",
            NetworkFlags::rule,
            String.class,
            v -> allow = v)
        .values(
            "--deny",
            RULE,
            "What it may not reach, whatever else is allowed; may be given often.",
            NetworkFlags::rule,
            String.class,
            v -> deny = v)
        .texts(
            "--preset",
            "NAME",
            "Hosts that are often wanted together: packages, llm or git; may be given often.",
            v -> presets = v)
        .flag(
            "--attended",
            "With '--network ask': connections wait for somebody's answer, instead of being"
                + " refused at once.",
            () -> attended = true)
        .with(this::describeLimits);
  }

  private void describeLimits(Description verb) {
    verb.value(
            "--max-connections",
            "N",
            "At most so many connections at once.",
            NetworkFlags::count,
            Integer.class,
            v -> connections = Optional.of(v))
        .value(
            "--max-new-connections",
            "N",
            "At most so many new connections per second.",
            NetworkFlags::count,
            Integer.class,
            v -> newConnections = Optional.of(v))
        .value(
            "--max-name-queries",
            "N",
            "At most so many DNS queries per second.",
            NetworkFlags::count,
            Integer.class,
            v -> nameQueries = Optional.of(v))
        .value(
            "--max-per-hour",
            "SIZE",
            "At most so much sent and received in an hour: 500M, 2G.",
            new Megabytes(),
            Megabytes.Size.class,
            v -> perHour = Optional.of(v));
  }

  private static int count(String text) {
    if (!text.matches("[1-9][0-9]{0,8}")) {
      throw new TypeConversionException("'" + text + "' is not a positive number");
    }
    return Integer.parseInt(text);
  }

  /** More than was said. */
  void also(List<String> somePresets, List<String> rules) {
    morePresets.addAll(somePresets);
    moreAllow.addAll(rules);
  }

  /** All that was said, over what was there before; nothing when nothing was said. */
  Optional<Network> change(Network before) {
    boolean said =
        fallback.isPresent()
            || attended
            || !presets.isEmpty()
            || !morePresets.isEmpty()
            || !allow.isEmpty()
            || !moreAllow.isEmpty()
            || !deny.isEmpty()
            || limits(before.limits()).isPresent();
    if (!said) {
      return Optional.empty();
    }
    Network network = fallback.map(before::withFallback).orElse(before);
    for (String preset : both(presets, morePresets)) {
      network = network.preset(preset);
    }
    for (String rule : both(allow, moreAllow)) {
      network = network.allow(rule);
    }
    for (String rule : deny) {
      network = network.deny(rule);
    }
    network = limits(before.limits()).map(network::limits).orElse(network);
    return Optional.of(attended ? network.attended(true) : network);
  }

  private static List<String> both(List<String> one, List<String> other) {
    return Stream.concat(one.stream(), other.stream()).distinct().toList();
  }

  private Optional<NetworkLimits> limits(NetworkLimits before) {
    NetworkLimits limits = connections.map(before::connections).orElse(before);
    limits = newConnections.map(limits::newConnectionsPerSecond).orElse(limits);
    limits = nameQueries.map(limits::nameQueriesPerSecond).orElse(limits);
    limits =
        perHour.map(size -> (long) size.count() << 20).map(limits::bytesPerHour).orElse(limits);
    boolean said =
        connections.isPresent()
            || newConnections.isPresent()
            || nameQueries.isPresent()
            || perHour.isPresent();
    return Optional.of(limits).filter(_ -> said);
  }

  private static String fallback(String text) {
    if (!List.of("allow", "deny", "ask").contains(text)) {
      throw new TypeConversionException("'" + text + "' is none of allow, deny and ask");
    }
    return text;
  }

  /**
   * The server knows what a rule is. But without quotes a rule falls apart into several, the first
   * of which allows more than was meant.
   */
  static String rule(String text) {
    if (text.startsWith("/") || text.matches("[A-Z]+(,[A-Z]+)*")) {
      throw new TypeConversionException(
          "'%s' is no host; put a rule with methods or paths in quotes, as in 'example.com GET /v1/*'"
              .formatted(text));
    }
    return text;
  }
}
