package dev.cove.model;

import java.util.Locale;
import java.util.Optional;

/** The boundary around a sandbox. */
public enum Tier {
  /** Namespaces, seccomp and cgroups on the host's own kernel. */
  CONTAINER;

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
