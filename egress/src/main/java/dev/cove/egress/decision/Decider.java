package dev.cove.egress.decision;

import dev.cove.egress.group.Member;
import dev.cove.egress.group.Peers;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Destination.Literal;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.InsideAddresses;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;

/**
 * Decides for one sandbox. The operator's policy is a floor: what it denies, or does not allow, no
 * policy of the sandbox can allow. Within the sandbox's group {@link GroupRules} decide.
 */
public final class Decider {
  private final AddressGuard guard;
  private final NetworkPolicy floor;
  private final GroupRules groupRules;
  private final Peers peers;
  private volatile NetworkPolicy policy;

  public Decider(AddressGuard guard, NetworkPolicy floor, Peers peers, NetworkPolicy policy) {
    this.guard = guard;
    this.floor = floor;
    this.groupRules = new GroupRules(floor);
    this.peers = peers;
    this.policy = policy;
  }

  /** The other sandbox that is meant, where it is one of the same group. */
  public Optional<Member> peer(Destination destination) {
    return peers.find(destination.host());
  }

  public NetworkPolicy policy() {
    return policy;
  }

  public void change(NetworkPolicy newPolicy) {
    policy = newPolicy;
  }

  /** What is to become of a connection, before anything is looked up or read. */
  public Verdict decide(Destination destination) {
    return decideBy(policy, destination);
  }

  private Verdict decideBy(NetworkPolicy own, Destination destination) {
    return peer(destination)
        .map(member -> stricter(groupRules.decide(own, member, destination.port())))
        .orElseGet(() -> decideOutside(own, destination));
  }

  /** The same for the host of the world that has that name, whoever else has it. */
  public Verdict decideOutside(Destination destination) {
    return decideOutside(policy, destination);
  }

  private Verdict decideOutside(NetworkPolicy own, Destination destination) {
    return absolute(destination).orElseGet(() -> stricter(own, each -> each.decide(destination)));
  }

  public Verdict decide(Destination destination, Request request) {
    return peer(destination)
        .map(member -> stricter(groupRules.decide(policy, member, destination.port(), request)))
        .or(() -> absolute(destination))
        .orElseGet(() -> stricter(policy, each -> each.decide(destination, request)));
  }

  /** What forbids the destination under any policy, as far as it can be told without a look-up. */
  public Optional<Verdict> absolute(Destination destination) {
    return destination.host() instanceof Literal(InetAddress address)
        ? guard.objection(address, destination.port()).map(Decider::denied)
        : Optional.empty();
  }

  private Verdict stricter(NetworkPolicy own, Function<NetworkPolicy, Verdict> verdicts) {
    return stricter(new GroupRules.Verdicts(verdicts.apply(floor), verdicts.apply(own)));
  }

  private static Verdict stricter(GroupRules.Verdicts both) {
    return freedom(both.byFloor()) < freedom(both.byOwn())
        ? new Verdict(both.byFloor().outcome(), operators(both.byFloor().rule()))
        : both.byOwn();
  }

  static int freedom(Verdict verdict) {
    return switch (verdict.outcome()) {
      case DENIED -> 0;
      case ASK -> 1;
      case BY_REQUEST -> 2;
      case ALLOWED -> 3;
    };
  }

  private static String operators(String rule) {
    return "operator's " + rule;
  }

  private static Verdict denied(String rule) {
    return new Verdict(Outcome.DENIED, rule);
  }

  /** Whether an address that the destination's name leads to, by way of aliases, may be dialled. */
  public Optional<Verdict> objection(
      Destination destination, InetAddress address, List<DomainName> aliases) {
    int port = destination.port();
    return guard
        .objection(address, port)
        .map(Decider::denied)
        .or(() -> ruleAgainst(address, port, aliases, policy))
        .or(() ->
            ruleAgainst(address, port, aliases, floor)
                .map(verdict -> denied(operators(verdict.rule()))));
  }

  private static Optional<Verdict> ruleAgainst(
      InetAddress address, int port, List<DomainName> aliases, NetworkPolicy by) {
    return by.denies(address, port)
        .or(() ->
            aliases.stream()
                .flatMap(alias -> by.denies(Destination.of(alias, port)).stream())
                .findFirst());
  }

  /** The most that any port of a host with this name could be granted. */
  public Outcome best(DomainName name) {
    var host = new Destination.Named(name);
    var ports = tellingPorts(host);
    peers
        .find(host)
        .ifPresent(member -> {
          member.hosts().forEach(other -> ports.addAll(tellingPorts(new Destination.Named(other))));
          member.membership().ports().forEach(range -> ports.add(range.first()));
          ports.add(InsideAddresses.LISTENER_PORT + 1);
        });
    Verdict best = denied("");
    for (int port : ports) {
      Verdict verdict = decide(new Destination(host, port));
      best = freedom(verdict) > freedom(best) ? verdict : best;
    }
    return best.outcome();
  }

  private SortedSet<Integer> tellingPorts(Destination.Host host) {
    SortedSet<Integer> ports = policy.tellingPorts(host);
    ports.addAll(floor.tellingPorts(host));
    return ports;
  }

  /** The smallest rule that, added to the sandbox's policy, would allow it; none if none could. */
  public Optional<NetworkRule> remedy(Destination destination) {
    NetworkRule rule = NetworkRule.of(destination.toString());
    NetworkPolicy own = policy;
    if (own.allow().size() + own.deny().size() >= NetworkPolicy.MAX_RULES) {
      return Optional.empty();
    }
    boolean needed = decide(destination).outcome() != Outcome.ALLOWED;
    boolean enough = decideBy(own.alsoAllowing(rule), destination).outcome() == Outcome.ALLOWED;
    return needed && enough ? Optional.of(rule) : Optional.empty();
  }
}
