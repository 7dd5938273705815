package dev.cove.model.network;

import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * That a sandbox belongs to a group: its members reach each other by name, and nobody else does.
 *
 * @param project whose group it is, and
 * @param member the sandbox's own name, both of which its {@code SandboxSpec} fills in
 * @param ports that the others may connect to; empty for all
 */
public record GroupMembership(
    ProjectName project, String group, String member, List<PortRange> ports) {
  /** How many sandboxes may be in one group. */
  public static final int MAX_MEMBERS = 100;

  /** Below this every member has a second name, for programs that want a dot in it. */
  public static final String DOMAIN = "internal";

  private static final int MAX_PORTS = 64;
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  public GroupMembership {
    ports = List.copyOf(ports);
    if (!LABEL.matcher(group).matches()) {
      throw new IllegalArgumentException(
          "A group's name is 1 to 63 lower-case letters, digits and hyphens, with no hyphen at an"
              + " end");
    }
    if (ports.size() > MAX_PORTS) {
      throw new IllegalArgumentException(
          "At most %d ports or ranges of them are offered to a group".formatted(MAX_PORTS));
    }
  }

  public GroupMembership(String group, List<PortRange> ports) {
    this(ProjectName.DEFAULT, group, "", ports);
  }

  public GroupMembership of(ProjectName owner, String newMember) {
    return new GroupMembership(owner, group, newMember, ports);
  }

  public boolean offers(int port) {
    return ports.isEmpty() || ports.stream().anyMatch(range -> range.contains(port));
  }

  /**
   * What a sandbox of that name is called by the others, besides by its id: itself in lower case,
   * where that is a name that DNS knows. A name with a dot is none, or a sandbox could stand in for
   * a host of the world.
   */
  public static List<DomainName> hosts(String name) {
    if (name.indexOf('.') >= 0) {
      return List.of();
    }
    try {
      return spellings(DomainName.of(name));
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }

  /** What it is called in any case. */
  public static List<DomainName> hosts(SandboxId id) {
    return spellings(DomainName.of(id.value()));
  }

  private static List<DomainName> spellings(DomainName label) {
    return List.of(label, new DomainName(label + "." + DOMAIN));
  }

  /** All its names, the one that people use first. */
  public List<DomainName> allHosts(SandboxId id) {
    var all = new ArrayList<>(hosts(member));
    hosts(id).stream().filter(host -> !all.contains(host)).forEach(all::add);
    return List.copyOf(all);
  }

  /** As people and the ledger write it: {@code 5432,8000-8099}; empty for all. */
  public String portsText() {
    return String.join(",", ports.stream().map(PortRange::toString).toList());
  }

  public static List<PortRange> portsOf(String text) {
    return text.isEmpty()
        ? List.of()
        : List.of(text.split(",", -1)).stream().map(PortRange::of).toList();
  }
}
