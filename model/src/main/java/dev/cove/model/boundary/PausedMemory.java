package dev.cove.model.boundary;

import java.util.Locale;
import java.util.Optional;

/**
 * Where the memory of a paused sandbox is; a later one is also good for who asks for an earlier.
 */
public enum PausedMemory {
  /** In the host's memory, which it goes on taking; a restart of the host loses it. */
  RAM,
  /** On the host's disk. */
  DISK;

  public static Optional<PausedMemory> find(String name) {
    for (PausedMemory memory : values()) {
      if (memory.publicName().equals(name)) {
        return Optional.of(memory);
      }
    }
    return Optional.empty();
  }

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
