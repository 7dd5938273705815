package dev.cove.model.boundary;

import java.util.Locale;
import java.util.Optional;

/** Whose kernel serves a sandbox's system calls. */
public enum KernelOf {
  /** The host's: a bug in a call that remains allowed is a way out. */
  SHARED,
  /** One of the sandbox's own: such a bug is a bug in something that only this sandbox has. */
  OWN;

  public static Optional<KernelOf> find(String name) {
    for (KernelOf kernel : values()) {
      if (kernel.publicName().equals(name)) {
        return Optional.of(kernel);
      }
    }
    return Optional.empty();
  }

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
