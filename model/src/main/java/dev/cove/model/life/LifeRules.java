package dev.cove.model.life;

import java.time.Duration;
import java.util.Optional;

/**
 * What happens to a sandbox by itself. A sandbox has such rules, its template may have some, and
 * the server has: for each of them the nearest that says something counts.
 *
 * @param idle how long nothing must have happened before it is paused; zero for never
 * @param pausedFor how long it stays paused before it is stopped; zero for ever
 * @param keepAlive whether it is never paused by itself, whatever is said about idleness
 * @param maxLife how long it may live; zero for ever
 * @param onEnd what becomes of it when that is over
 * @param onHostRestart what becomes of it when it ran while the host went down
 */
public record LifeRules(
    Optional<Duration> idle,
    Optional<Duration> pausedFor,
    Optional<Boolean> keepAlive,
    Optional<Duration> maxLife,
    Optional<OnEnd> onEnd,
    Optional<OnHostRestart> onHostRestart) {
  /** Says nothing. */
  public static final LifeRules SILENT =
      new LifeRules(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /** The longest time that can be said: ten years. */
  public static final Duration LONGEST = Duration.ofDays(3_650);

  public LifeRules {
    requireTime("idleSeconds", idle);
    requireTime("pausedSeconds", pausedFor);
    requireTime("maxLifeSeconds", maxLife);
  }

  private static void requireTime(String what, Optional<Duration> time) {
    if (time.isPresent() && (time.get().isNegative() || time.get().compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException(
          "%s must be between 0 and %d".formatted(what, LONGEST.toSeconds()));
    }
  }

  public LifeRules withIdle(Optional<Duration> newIdle) {
    return new LifeRules(newIdle, pausedFor, keepAlive, maxLife, onEnd, onHostRestart);
  }

  public LifeRules withPausedFor(Optional<Duration> newTime) {
    return new LifeRules(idle, newTime, keepAlive, maxLife, onEnd, onHostRestart);
  }

  public LifeRules withKeepAlive(Optional<Boolean> kept) {
    return new LifeRules(idle, pausedFor, kept, maxLife, onEnd, onHostRestart);
  }

  public LifeRules withMaxLife(Optional<Duration> newTime) {
    return new LifeRules(idle, pausedFor, keepAlive, newTime, onEnd, onHostRestart);
  }

  public LifeRules withOnEnd(Optional<OnEnd> newEnd) {
    return new LifeRules(idle, pausedFor, keepAlive, maxLife, newEnd, onHostRestart);
  }

  public LifeRules withOnHostRestart(Optional<OnHostRestart> wanted) {
    return new LifeRules(idle, pausedFor, keepAlive, maxLife, onEnd, wanted);
  }

  /**
   * These rules where they say something, those of farther away where they do not. Who says here
   * when it is idle, and nothing of keeping it alive, means it to be paused then.
   */
  public LifeRules over(LifeRules farther) {
    Optional<Boolean> kept = idle.isPresent() ? keepAlive.or(() -> Optional.of(false)) : keepAlive;
    return new LifeRules(
        idle.or(farther::idle),
        pausedFor.or(farther::pausedFor),
        kept.or(farther::keepAlive),
        maxLife.or(farther::maxLife),
        onEnd.or(farther::onEnd),
        onHostRestart.or(farther::onHostRestart));
  }

  /** After how much idleness it is paused, if it ever is. */
  public Optional<Duration> pauseAfter() {
    return keepAlive.orElse(false) ? Optional.empty() : limit(idle);
  }

  /** After how much time of rest it is stopped, if it ever is. */
  public Optional<Duration> stopAfter() {
    return limit(pausedFor);
  }

  /** How long it lives, if not for ever. */
  public Optional<Duration> lifetime() {
    return limit(maxLife);
  }

  private static Optional<Duration> limit(Optional<Duration> time) {
    return time.filter(one -> !one.isZero());
  }

  public boolean startsAfterHostRestart() {
    return onHostRestart.orElse(OnHostRestart.STOP) == OnHostRestart.START;
  }
}
