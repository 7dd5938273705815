package dev.cove.control.ledger;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times as the ledger keeps them: whole microseconds since 1970. */
public final class Micros {
  private Micros() {}

  /** The time now, as precise as it will still be after a restart. */
  public static Instant now(Clock clock) {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  public static long of(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  public static Instant toInstant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
