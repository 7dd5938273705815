package dev.cove.model.boundary;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The least that a caller wants of a boundary, whatever its tier is called.
 *
 * @param kernel nothing is said against any kernel when it is empty; {@code SHARED} is also true of
 *     one of the sandbox's own
 */
public record Guarantees(
    Optional<KernelOf> kernel,
    boolean hardware,
    Optional<PausedMemory> memoryOnPause,
    boolean memoryInCheckpoints) {
  public static final Guarantees NONE =
      new Guarantees(Optional.empty(), false, Optional.empty(), false);

  /** What a boundary lacks, in the words of the API; nothing when it has all of it. */
  public List<String> missingIn(Boundary boundary) {
    var missing = new ArrayList<String>();
    kernel
        .filter(wanted -> wanted.compareTo(boundary.kernel()) > 0)
        .ifPresent(wanted -> missing.add("kernel=" + wanted.publicName()));
    if (hardware && !boundary.hardware()) {
      missing.add("hardware=true");
    }
    memoryOnPause
        .filter(wanted -> wanted.compareTo(boundary.memoryOnPause()) > 0)
        .ifPresent(wanted -> missing.add("memoryOnPause=" + wanted.publicName()));
    if (memoryInCheckpoints && !boundary.memoryInCheckpoints()) {
      missing.add("memoryInCheckpoints=true");
    }
    return List.copyOf(missing);
  }
}
