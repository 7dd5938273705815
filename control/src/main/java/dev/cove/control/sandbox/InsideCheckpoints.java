package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes checkpoints that somebody inside a sandbox asks for, where its rules allow it.
 *
 * <p>Whoever asks may be hostile, and a checkpoint costs disk and time. So each sandbox has one at
 * a time and few in a minute, tries that failed included, and the rules bound how many are kept;
 * they never push out what was taken for the owner.
 */
public final class InsideCheckpoints {
  static final int PER_MINUTE = 6;

  private static final Logger log = LoggerFactory.getLogger(InsideCheckpoints.class);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final SandboxLifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final Clock clock;

  /** The tries of the last minute, the oldest first: never more than sandboxes times the limit. */
  private final Deque<Try> tries = new ArrayDeque<>();

  private final Set<SandboxId> underWay = new HashSet<>();

  private record Try(SandboxId sandbox, Instant at) {}

  public InsideCheckpoints(SandboxLifecycle lifecycle, Checkpoints checkpoints, Clock clock) {
    this.lifecycle = lifecycle;
    this.checkpoints = checkpoints;
    this.clock = clock;
  }

  /**
   * Takes one.
   *
   * @return its id
   * @throws CoveException when there is none, with a message for those inside
   */
  public String take(SandboxId id, String name) {
    Sandbox sandbox =
        lifecycle
            .find(id)
            .orElseThrow(() ->
                new CoveException(
                    ErrorCode.UNSUPPORTED, "No checkpoints are kept of what this runs in."));
    requireAllowed(sandbox);
    Checkpoints.requireName(name);
    begin(id);
    try {
      return take(sandbox, name);
    } finally {
      end(id);
    }
  }

  private String take(Sandbox asked, String name) {
    try {
      return lifecycle.exclusively(
          asked.id().value(),
          sandbox -> {
            requireAllowed(sandbox);
            var reason = Checkpoint.Reason.INSIDE;
            return checkpoints.take(sandbox.id(), sandbox.spec(), name, reason).id().value();
          });
    } catch (CoveException e) {
      log.warn("sandbox {}: no checkpoint from inside: {}", asked.id(), e.getMessage());
      // What goes wrong out here may say more about the host than those inside should know.
      throw e.code().kind() == ErrorCode.Kind.CALLER
          ? e
          : new CoveException(e.code(), "The server could not take a checkpoint just now.", e);
    } catch (RuntimeException e) {
      log.error("sandbox {}: no checkpoint from inside", asked.id(), e);
      throw new CoveException(ErrorCode.INTERNAL, "The server failed to take a checkpoint.", e);
    }
  }

  private void requireAllowed(Sandbox sandbox) {
    if (!checkpoints.rules(sandbox.id()).fromInside()) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "The owner of this sandbox does not allow checkpoints from inside; they can: cove"
              + " checkpoint rules %s --from-inside on".formatted(sandbox.id()));
    }
  }

  private synchronized void begin(SandboxId id) {
    Instant now = clock.instant();
    // Those that lie ahead are from before the clock was set back.
    tries.removeIf(one -> one.at().isAfter(now) || !one.at().isAfter(now.minus(MINUTE)));
    if (underWay.contains(id)) {
      throw new CoveException(
          ErrorCode.TOO_MANY_REQUESTS,
          "Another checkpoint is being taken; ask again when it is there.");
    }
    if (tries.stream().filter(one -> one.sandbox().equals(id)).count() >= PER_MINUTE) {
      throw new CoveException(
          ErrorCode.TOO_MANY_REQUESTS,
          "A sandbox may ask for %d checkpoints in a minute; ask again later."
              .formatted(PER_MINUTE));
    }
    tries.addLast(new Try(id, now));
    underWay.add(id);
  }

  private synchronized void end(SandboxId id) {
    underWay.remove(id);
  }
}
