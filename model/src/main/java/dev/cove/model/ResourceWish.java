package dev.cove.model;

import java.util.Optional;

/**
 * What is said of how much a sandbox may use; what is not said is up to whoever is asked next: its
 * template, and then the server.
 */
public record ResourceWish(
    Optional<Integer> milliCpus,
    Optional<Integer> memoryMb,
    Optional<Integer> diskMb,
    Optional<Integer> maxProcesses) {
  public static final ResourceWish NOTHING =
      new ResourceWish(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public ResourceWish {
    // Says whether these are amounts at all.
    var _ = resolved(Resources.DEFAULT, milliCpus, memoryMb, diskMb, maxProcesses);
  }

  public static ResourceWish exactly(Resources resources) {
    return new ResourceWish(
        Optional.of(resources.milliCpus()),
        Optional.of(resources.memoryMb()),
        Optional.of(resources.diskMb()),
        Optional.of(resources.maxProcesses()));
  }

  /** This, and of what it does not say, the other. */
  public ResourceWish over(ResourceWish other) {
    return new ResourceWish(
        milliCpus.or(other::milliCpus),
        memoryMb.or(other::memoryMb),
        diskMb.or(other::diskMb),
        maxProcesses.or(other::maxProcesses));
  }

  public Resources over(Resources usual) {
    return resolved(usual, milliCpus, memoryMb, diskMb, maxProcesses);
  }

  private static Resources resolved(
      Resources usual,
      Optional<Integer> milliCpus,
      Optional<Integer> memoryMb,
      Optional<Integer> diskMb,
      Optional<Integer> maxProcesses) {
    return new Resources(
        milliCpus.orElse(usual.milliCpus()),
        memoryMb.orElse(usual.memoryMb()),
        diskMb.orElse(usual.diskMb()),
        maxProcesses.orElse(usual.maxProcesses()));
  }
}
