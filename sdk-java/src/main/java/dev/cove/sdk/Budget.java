package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;

/**
 * How much may be used in each period, and how much was. When all of it is, the sandbox is paused,
 * with its work, and does not run until the budget is raised or the period ends.
 *
 * @param period total, day or month
 * @param egressBytes both ways together
 * @param warnPercent at which an event tells of it
 * @param level within, warned or exhausted
 * @param until when the period ends
 */
public record Budget(
    String period,
    Optional<Long> cpuSeconds,
    Optional<Long> egressBytes,
    Optional<BigDecimal> cost,
    int warnPercent,
    String level,
    Spent spent,
    Optional<Instant> until,
    String toJson) {
  /** What was used in this period. */
  public record Spent(BigDecimal cpuSeconds, long egressBytes, Optional<BigDecimal> cost) {
    private static Spent of(JsonObject json) {
      return new Spent(
          json.requireDecimal("cpuSeconds"),
          json.requireLong("egressBytes"),
          json.findText("cost").map(BigDecimal::new));
    }
  }

  static Budget of(JsonObject json) {
    return new Budget(
        json.requireText("period"),
        json.findLong("cpuSeconds"),
        json.findLong("egressBytes"),
        json.findText("cost").map(BigDecimal::new),
        json.requireInt("warnPercent"),
        json.requireText("level"),
        Spent.of(json.requireObject("spent")),
        json.findInstant("until"),
        Json.writeText(json));
  }
}
