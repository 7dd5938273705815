package dev.cove.edge.network;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Text;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.PortRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The group of a sandbox, as callers write it.
 *
 * @param ports that it offers to the others; all when none is given
 */
public record GroupBody(@Nullable String name, @Nullable List<@Nullable String> ports) {
  GroupMembership toMembership() {
    return membership("name", Fields.require("name", name), "ports", ports);
  }

  /**
   * @param nameField what the caller calls the name, to be named when it is bad
   * @param portsField the same for the ports
   */
  public static GroupMembership membership(
      String nameField, String name, String portsField, @Nullable List<@Nullable String> ports) {
    List<@Nullable String> texts = ports == null ? List.of() : ports;
    List<PortRange> offered =
        texts.stream()
            .map(text -> port(portsField, Fields.require(portsField + "[]", text)))
            .toList();
    try {
      return new GroupMembership(name, offered);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s: %s is no group: %s".formatted(nameField, Text.quote(name), e.getMessage()), e);
    }
  }

  private static PortRange port(String field, String text) {
    try {
      return PortRange.of(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s: %s is no port: %s".formatted(field, Text.quote(text), e.getMessage()), e);
    }
  }

  private static List<String> texts(GroupMembership membership) {
    return membership.ports().stream().map(PortRange::toString).toList();
  }

  /** The same, as they read it. */
  record Shown(String name, List<String> ports, List<MemberBody> members) {
    static Shown of(GroupMembership own, List<Sandbox> members) {
      return new Shown(own.group(), texts(own), members.stream().map(MemberBody::of).toList());
    }
  }

  /**
   * One of a group.
   *
   * @param hosts what the others reach it by
   */
  record MemberBody(String id, String name, List<String> hosts, List<String> ports) {
    static MemberBody of(Sandbox sandbox) {
      GroupMembership membership = sandbox.spec().network().membership().orElseThrow();
      return new MemberBody(
          sandbox.id().value(),
          sandbox.spec().name(),
          membership.allHosts(sandbox.id()).stream().map(DomainName::value).toList(),
          texts(membership));
    }
  }
}
