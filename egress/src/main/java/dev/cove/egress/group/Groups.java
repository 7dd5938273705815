package dev.cove.egress.group;

import dev.cove.model.SandboxId;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.GroupMembership;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who is in which group of a server. */
public final class Groups {
  private final Map<GroupId, Map<SandboxId, Member>> members = new HashMap<>();
  private volatile Map<GroupId, Map<DomainName, Member>> hosts = Map.of();

  Optional<Member> find(GroupId group, DomainName host) {
    return Optional.ofNullable(hosts.getOrDefault(group, Map.of()).get(host));
  }

  /** From now on in place of what it was; all others know when this returns. */
  void join(Member member) {
    List<Member> others;
    synchronized (this) {
      members
          .computeIfAbsent(member.groupId(), _ -> new LinkedHashMap<>())
          .put(member.id(), member);
      others = changed(member);
    }
    others.forEach(other -> other.changed().run());
  }

  /** Does nothing to one that was replaced. */
  void leave(Member member) {
    List<Member> others;
    synchronized (this) {
      Map<SandboxId, Member> group = members.getOrDefault(member.groupId(), Map.of());
      if (!group.remove(member.id(), member)) {
        return;
      }
      if (group.isEmpty()) {
        members.remove(member.groupId());
      }
      others = changed(member);
    }
    others.forEach(other -> other.changed().run());
  }

  /** An id is always that sandbox's, whatever others are called. */
  private List<Member> changed(Member by) {
    var group = List.copyOf(members.getOrDefault(by.groupId(), Map.of()).values());
    var found = new HashMap<DomainName, Member>();
    group.forEach(
        member -> GroupMembership.hosts(member.id()).forEach(host -> found.put(host, member)));
    group.forEach(member -> member.hosts().forEach(host -> found.putIfAbsent(host, member)));
    var all = new HashMap<>(hosts);
    if (group.isEmpty()) {
      all.remove(by.groupId());
    } else {
      all.put(by.groupId(), Map.copyOf(found));
    }
    hosts = Map.copyOf(all);
    return group.stream().filter(member -> !member.id().equals(by.id())).toList();
  }
}
