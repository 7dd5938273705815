package dev.cove.edge.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** What a caller says about when checkpoints come and go; what is left out is as it usually is. */
public record WantedRules(
    @Nullable Boolean beforeExec,
    @Nullable Integer everyMinutes,
    @Nullable Integer keepAutomatic,
    @Nullable Integer maxAgeHours,
    @Nullable Boolean fromInside) {
  public CheckpointRules toRules() {
    return new CheckpointRules(
        Boolean.TRUE.equals(beforeExec),
        optional(everyMinutes),
        keepAutomatic == null ? CheckpointRules.DEFAULT.keepAutomatic() : keepAutomatic,
        optional(maxAgeHours),
        Boolean.TRUE.equals(fromInside));
  }

  private static OptionalInt optional(@Nullable Integer value) {
    return value == null ? OptionalInt.empty() : OptionalInt.of(value);
  }
}
