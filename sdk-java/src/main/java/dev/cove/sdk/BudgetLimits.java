package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * How much may be used. Begin with {@link #each}; each method gives a copy.
 *
 * @param period total, day or month
 */
public record BudgetLimits(
    String period,
    Optional<Long> cpuSeconds,
    Optional<Long> egressBytes,
    Optional<BigDecimal> cost,
    Optional<Integer> warnPercent) {
  public static BudgetLimits each(String period) {
    return new BudgetLimits(
        period, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  public BudgetLimits cpuSeconds(long most) {
    return new BudgetLimits(period, Optional.of(most), egressBytes, cost, warnPercent);
  }

  /** Sent and received together. */
  public BudgetLimits egressBytes(long most) {
    return new BudgetLimits(period, cpuSeconds, Optional.of(most), cost, warnPercent);
  }

  /** By the server's prices. */
  public BudgetLimits cost(BigDecimal most) {
    return new BudgetLimits(period, cpuSeconds, egressBytes, Optional.of(most), warnPercent);
  }

  /** At which part of a limit an event tells of it. */
  public BudgetLimits warnPercent(int percent) {
    return new BudgetLimits(period, cpuSeconds, egressBytes, cost, Optional.of(percent));
  }

  JsonObject toJson() {
    JsonObject.Builder json = JsonObject.builder().put("period", period);
    cpuSeconds.ifPresent(most -> json.put("cpuSeconds", most));
    egressBytes.ifPresent(most -> json.put("egressBytes", most));
    cost.ifPresent(most -> json.put("cost", most.toPlainString()));
    warnPercent.ifPresent(percent -> json.put("warnPercent", percent));
    return json.build();
  }
}
