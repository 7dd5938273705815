package dev.cove.egress.decision;

import dev.cove.egress.group.Member;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Decides on connections within a group. The group is what allows them, so the sandbox's policy can
 * only be against one. The operator's must be for it, as for everything. A member has several
 * names: a rule against one of them is against him, and a rule for one is for him.
 */
final class GroupRules {
  private final NetworkPolicy floor;

  GroupRules(NetworkPolicy floor) {
    this.floor = floor;
  }

  /** What each of the two policies says; whoever asks takes the stricter. */
  record Verdicts(Verdict byFloor, Verdict byOwn) {}

  Verdicts decide(NetworkPolicy own, Member member, int port) {
    if (!member.offers(port)) {
      return notOffered(member);
    }
    List<Destination> names = names(member, port);
    return new Verdicts(
        first(names, floor::denies).orElseGet(() -> freest(names, floor::decide)),
        first(names, own::denies)
            .or(() -> first(names, own::deniesSome))
            .orElseGet(() -> permission(member)));
  }

  Verdicts decide(NetworkPolicy own, Member member, int port, Request request) {
    if (!member.offers(port)) {
      return notOffered(member);
    }
    List<Destination> names = names(member, port);
    return new Verdicts(
        first(names, name -> floor.denies(name, request))
            .orElseGet(() -> freest(names, name -> floor.decide(name, request))),
        first(names, name -> own.denies(name, request)).orElseGet(() -> permission(member)));
  }

  private static List<Destination> names(Member member, int port) {
    return member.hosts().stream().map(host -> Destination.of(host, port)).toList();
  }

  private static Verdicts notOffered(Member member) {
    String ports = member.membership().portsText();
    String rule =
        ports.isEmpty() ? "never inside" : "group %s offers %s".formatted(member.group(), ports);
    return new Verdicts(new Verdict(Outcome.ALLOWED, ""), new Verdict(Outcome.DENIED, rule));
  }

  private static Verdict permission(Member member) {
    return new Verdict(Outcome.ALLOWED, "group " + member.group());
  }

  private static Optional<Verdict> first(
      List<Destination> names, Function<Destination, Optional<Verdict>> denial) {
    return names.stream().flatMap(name -> denial.apply(name).stream()).findFirst();
  }

  private static Verdict freest(List<Destination> names, Function<Destination, Verdict> verdicts) {
    return names.stream()
        .map(verdicts)
        .max(Comparator.comparingInt(Decider::freedom))
        .orElseThrow(() -> new IllegalStateException("A member has no name"));
  }
}
