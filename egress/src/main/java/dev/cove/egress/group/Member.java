package dev.cove.egress.group;

import dev.cove.model.SandboxId;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.InsideAddresses;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * A sandbox in a group.
 *
 * @param hosts all its names, the one that people use first
 * @param visits how many connections there may be to it, from all others together
 * @param changed is told when who is in its group, or what they offer, has changed
 */
public record Member(
    SandboxId id,
    GroupMembership membership,
    List<DomainName> hosts,
    Entrance entrance,
    Semaphore visits,
    Runnable changed) {
  public String group() {
    return membership.group();
  }

  GroupId groupId() {
    return new GroupId(membership.project(), membership.group());
  }

  /** Cove's own listener inside a sandbox is nobody's service. */
  public boolean offers(int port) {
    return port != InsideAddresses.LISTENER_PORT && membership.offers(port);
  }
}
