package dev.cove.control.service;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A service and what has become of it.
 *
 * @param pid inside the sandbox, while it runs
 * @param code what it last ended with: its exit code, or 128 and the signal
 * @param restarts how often it was started again by its rule since it was last started otherwise
 * @param since when it came to be so; unknown after a restart of the server
 * @param next when its schedule starts it
 */
public record ServiceStatus(
    Service service,
    Phase phase,
    Optional<Integer> pid,
    Optional<Integer> code,
    int restarts,
    Optional<Instant> since,
    Optional<Instant> next) {
  /** What it is doing. */
  public enum Phase {
    /** Its time has not come yet. */
    SCHEDULED,
    STARTING,
    RUNNING,
    /** It ended and will be started again in a moment. */
    RESTARTING,
    EXITED,
    /** It ended so often in a row that it is not started any more. */
    FAILED,
    /** It, or the sandbox, was stopped. */
    STOPPED;

    public String publicName() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether somebody sees to it that it runs. */
    boolean lives() {
      return this == STARTING || this == RUNNING || this == RESTARTING;
    }
  }

  ServiceStatus due(Optional<Instant> time) {
    return new ServiceStatus(service, phase, pid, code, restarts, since, time);
  }
}
