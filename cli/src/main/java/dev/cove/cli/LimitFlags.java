package dev.cove.cli;

import dev.cove.sdk.Limits;
import java.util.Optional;

/** What is said about how much a sandbox may use. */
final class LimitFlags {
  private Limits limits = Limits.NONE;

  void describe(Description verb) {
    var sizes = new Megabytes();
    verb.value(
            "--cpus",
            "N",
            "At most so many cpus, such as 0.5.",
            Double::valueOf,
            Double.class,
            v -> limits = limits.cpus(v))
        .value(
            "--memory",
            "SIZE",
            "At most so much memory: 512M, 2G, or a number of megabytes.",
            sizes,
            Megabytes.Size.class,
            v -> limits = limits.memoryMb(v.count()))
        .value(
            "--disk",
            "SIZE",
            "At most so much written to disk.",
            sizes,
            Megabytes.Size.class,
            v -> limits = limits.diskMb(v.count()))
        .value(
            "--max-processes",
            "N",
            "At most so many processes and threads.",
            Integer::valueOf,
            Integer.class,
            v -> limits = limits.maxProcesses(v));
  }

  /** Takes a project's settings where nothing else was said. */
  void defaultTo(ProjectSettings settings) {
    if (limits.cpus().isEmpty()) {
      settings.cpus().ifPresent(most -> limits = limits.cpus(most));
    }
    if (limits.memoryMb().isEmpty()) {
      settings.memory().ifPresent(most -> limits = limits.memoryMb(most.count()));
    }
    if (limits.diskMb().isEmpty()) {
      settings.disk().ifPresent(most -> limits = limits.diskMb(most.count()));
    }
  }

  Limits limits() {
    return limits;
  }

  /** Nothing where nothing is said. */
  Optional<Limits> said() {
    return Optional.of(limits).filter(all -> !all.equals(Limits.NONE));
  }
}
