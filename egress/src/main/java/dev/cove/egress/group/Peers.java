package dev.cove.egress.group;

import dev.cove.model.network.Destination;
import dev.cove.model.network.Destination.Named;
import java.util.Optional;

/** The group of one sandbox, as that sandbox sees it. */
public final class Peers {
  private final Groups groups;
  private volatile Optional<Member> self = Optional.empty();

  public Peers(Groups groups) {
    this.groups = groups;
  }

  /** The member that is meant, itself included; nobody where the sandbox is in no group. */
  public Optional<Member> find(Destination.Host host) {
    return host instanceof Named(var name)
        ? self.flatMap(member -> groups.find(member.groupId(), name))
        : Optional.empty();
  }

  /** Joins, in place of whatever it was in. */
  public synchronized void join(Member member) {
    Optional<Member> before = self;
    self = Optional.of(member);
    before.filter(last -> !last.groupId().equals(member.groupId())).ifPresent(groups::leave);
    groups.join(member);
  }

  public synchronized void leave() {
    Optional<Member> before = self;
    self = Optional.empty();
    before.ifPresent(groups::leave);
  }
}
