package dev.cove.edge.e2b;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.model.SandboxState;
import dev.cove.model.life.LifeRules;
import dev.cove.model.life.OnEnd;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When sandboxes end by themselves, and what becomes of them then. E2B counts the time in which a
 * sandbox runs, so one that rests has no end; the rules of {@link LifeRules} do the rest.
 */
public final class Timeouts {
  /** What clients of today mean when they say nothing. */
  public static final Duration USUAL = Duration.ofMinutes(5);

  /** What those of the first generation mean. */
  public static final Duration USUAL_ONCE = Duration.ofSeconds(15);

  private static final String TIMEOUT = E2bDialect.OWN_LABELS + "timeout";
  private static final String AUTO_RESUME = E2bDialect.OWN_LABELS + "auto-resume";

  private final SandboxLifecycle lifecycle;
  private final Clock clock;

  Timeouts(SandboxLifecycle lifecycle, Clock clock) {
    this.lifecycle = lifecycle;
    this.clock = clock;
  }

  /**
   * What is wanted of a new sandbox.
   *
   * @param onEnd DELETE unless the caller wants to keep it
   * @param resumes whether a call to it takes it out of its rest
   */
  public record Wanted(Duration timeout, OnEnd onEnd, boolean resumes) {
    public LifeRules rules() {
      return LifeRules.SILENT
          .withKeepAlive(Optional.of(true))
          .withPausedFor(Optional.of(Duration.ZERO))
          .withMaxLife(Optional.of(timeout))
          .withOnEnd(Optional.of(onEnd));
    }

    /** What {@link LifeRules} have no place for. */
    public Map<String, String> labels() {
      var labels = new HashMap<String, String>();
      labels.put(TIMEOUT, String.valueOf(timeout.toSeconds()));
      if (resumes) {
        labels.put(AUTO_RESUME, "true");
      }
      return labels;
    }
  }

  /** A time that a caller has said, in seconds. */
  public static Duration require(@Nullable Long seconds, Duration usual) {
    if (seconds == null) {
      return usual;
    }
    if (seconds <= 0) {
      throw new IllegalArgumentException("Timeout must be greater than 0");
    }
    if (seconds > LifeRules.LONGEST.toSeconds()) {
      throw new IllegalArgumentException(
          "Timeout cannot be greater than %d hours".formatted(LifeRules.LONGEST.toHours()));
    }
    return Duration.ofSeconds(seconds);
  }

  /** From now on, whether that is sooner or later than it was. */
  public void set(Sandbox sandbox, Duration timeout) {
    if (!isRunning(sandbox)) {
      return; // one that rests has no end, and gets one when it is resumed
    }
    lifecycle.changeLife(
        sandbox.id().value(), rules -> rules.withMaxLife(Optional.of(timeout)), true);
  }

  /** At least so long from now on. */
  public void extend(Sandbox sandbox, Duration timeout) {
    Instant wanted = clock.instant().plus(timeout);
    if (sandbox.endsAt().filter(end -> end.isBefore(wanted)).isPresent()) {
      set(sandbox, timeout);
    }
  }

  /** To be called before a sandbox is laid to rest: whoever rests is not to end meanwhile. */
  public void suspend(Sandbox sandbox) {
    if (isOurs(sandbox)) {
      lifecycle.changeLife(
          sandbox.id().value(), rules -> rules.withMaxLife(Optional.of(Duration.ZERO)), true);
    }
  }

  /** To be called once a sandbox runs again. */
  public void resume(Sandbox sandbox, Duration timeout) {
    if (isOurs(sandbox)) {
      set(sandbox, timeout);
    }
  }

  /** Takes a sandbox out of its rest because somebody called it, if that was wanted. */
  Optional<Sandbox> resumeForCall(Sandbox sandbox) {
    if (!(sandbox.state() instanceof SandboxState.Paused) || !resumesByItself(sandbox)) {
      return Optional.empty();
    }
    Sandbox awake = lifecycle.resume(sandbox.id().value());
    Duration first = Duration.ofSeconds(Long.parseLong(awake.spec().labels().get(TIMEOUT)));
    resume(awake, first.compareTo(USUAL) > 0 ? first : USUAL);
    return Optional.of(awake);
  }

  /** What happens when its time is over. */
  public record Lifecycle(String onTimeout, boolean autoResume) {}

  public static Lifecycle lifecycle(Sandbox sandbox) {
    boolean killed = sandbox.life().onEnd().orElse(OnEnd.STOP) == OnEnd.DELETE;
    return new Lifecycle(killed ? "kill" : "pause", resumesByItself(sandbox));
  }

  /** For one that rests, since when; for one that runs for ever, a day that nobody will see. */
  public static Instant endAt(Sandbox sandbox) {
    return switch (sandbox.state()) {
      case SandboxState.Paused paused -> paused.since();
      case SandboxState.Stopped stopped -> stopped.since();
      default -> sandbox.endsAt().orElse(sandbox.createdAt().plus(LifeRules.LONGEST));
    };
  }

  private static boolean resumesByItself(Sandbox sandbox) {
    return isOurs(sandbox) && sandbox.spec().labels().containsKey(AUTO_RESUME);
  }

  /** Those of the native API keep the rules that they have there. */
  static boolean isOurs(Sandbox sandbox) {
    return sandbox.spec().labels().getOrDefault(TIMEOUT, "").matches("[0-9]{1,9}");
  }

  private static boolean isRunning(Sandbox sandbox) {
    return sandbox.state() instanceof SandboxState.Running;
  }
}
