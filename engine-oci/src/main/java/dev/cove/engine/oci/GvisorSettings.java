package dev.cove.engine.oci;

import java.util.Optional;
import java.util.Set;

/**
 * How the gVisor tier is made.
 *
 * @param runtime the name of runsc, or its path
 * @param platform how it intercepts system calls; chosen by what it knows when empty
 */
public record GvisorSettings(String runtime, Optional<String> platform) {
  public static final GvisorSettings DEFAULT = new GvisorSettings("runsc", Optional.empty());

  public static final Set<String> PLATFORMS = Set.of("ptrace", "systrap", "kvm");

  public GvisorSettings {
    platform.ifPresent(name -> {
      if (!PLATFORMS.contains(name)) {
        throw new IllegalArgumentException("gVisor has no platform " + name);
      }
    });
  }
}
