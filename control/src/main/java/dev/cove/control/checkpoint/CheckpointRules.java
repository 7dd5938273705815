package dev.cove.control.checkpoint;

import java.util.OptionalInt;

/**
 * When checkpoints of a sandbox are taken without its owner asking, and when they go.
 *
 * @param beforeExec before each command that is started from outside, if something may have changed
 * @param everyMinutes so often, if something may have changed
 * @param keepAutomatic how many that nobody asked for are kept, the newest
 * @param maxAgeHours how old those may get that nobody asked for
 * @param fromInside whether programs inside may ask for some, of which as many are kept again
 */
public record CheckpointRules(
    boolean beforeExec,
    OptionalInt everyMinutes,
    int keepAutomatic,
    OptionalInt maxAgeHours,
    boolean fromInside) {
  public static final CheckpointRules DEFAULT =
      new CheckpointRules(false, OptionalInt.empty(), 20, OptionalInt.empty(), false);

  /** How many states from before a restore are kept. */
  static final int KEEP_UNDO = 10;

  private static final int WEEK = 7 * 24 * 60;
  private static final int MOST_KEPT = 1_000;
  private static final int TEN_YEARS = 10 * 366 * 24;

  public CheckpointRules {
    everyMinutes.ifPresent(minutes -> requireBetween("everyMinutes", minutes, WEEK));
    requireBetween("keepAutomatic", keepAutomatic, MOST_KEPT);
    maxAgeHours.ifPresent(hours -> requireBetween("maxAgeHours", hours, TEN_YEARS));
  }

  private static void requireBetween(String name, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException("%s must be between 1 and %d".formatted(name, most));
    }
  }
}
