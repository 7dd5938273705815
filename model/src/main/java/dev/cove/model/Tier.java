package dev.cove.model;

import java.util.Locale;
import java.util.Optional;

/** The boundary around a sandbox, the cheapest first. */
public enum Tier {
  /** Namespaces, seccomp and cgroups on the host's own kernel. */
  CONTAINER,
  /** A kernel of its own in user space, which makes few of the host's system calls. */
  GVISOR,
  /** A virtual machine with a kernel of its own. */
  MICROVM;

  public static Optional<Tier> find(String name) {
    for (Tier tier : values()) {
      if (tier.publicName().equals(name)) {
        return Optional.of(tier);
      }
    }
    return Optional.empty();
  }

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
