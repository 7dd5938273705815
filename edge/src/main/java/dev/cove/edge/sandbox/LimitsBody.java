package dev.cove.edge.sandbox;

import dev.cove.model.ResourceWish;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How much sandboxes may use, as callers say it; what is null is not said. */
public record LimitsBody(
    @Nullable Double cpus,
    @Nullable Integer memoryMb,
    @Nullable Integer diskMb,
    @Nullable Integer maxProcesses) {
  private static final double MAX_CPUS = 1_024;

  public ResourceWish toWish() {
    return new ResourceWish(
        Optional.ofNullable(cpus).map(LimitsBody::milliCpus),
        Optional.ofNullable(memoryMb),
        Optional.ofNullable(diskMb),
        Optional.ofNullable(maxProcesses));
  }

  static int milliCpus(double cpus) {
    if (!(cpus >= 0.05 && cpus <= MAX_CPUS)) {
      throw new IllegalArgumentException("cpus must be between 0.05 and 1024");
    }
    return (int) Math.round(cpus * 1_000);
  }

  /** As they are told; nothing where nothing was said. */
  public record Shown(
      Optional<Double> cpus,
      Optional<Integer> memoryMb,
      Optional<Integer> diskMb,
      Optional<Integer> maxProcesses) {
    public static Optional<Shown> of(ResourceWish said) {
      return said.equals(ResourceWish.NOTHING)
          ? Optional.empty()
          : Optional.of(
              new Shown(
                  said.milliCpus().map(milli -> milli / 1_000.0),
                  said.memoryMb(),
                  said.diskMb(),
                  said.maxProcesses()));
    }
  }
}
