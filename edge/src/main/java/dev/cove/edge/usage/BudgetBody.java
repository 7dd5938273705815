package dev.cove.edge.usage;

import dev.cove.control.usage.Budget;
import dev.cove.control.usage.Spending;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A budget as callers say it.
 *
 * @param cost a decimal number as text, so that nobody rounds it
 */
public record BudgetBody(
    @Nullable String period,
    @Nullable Long cpuSeconds,
    @Nullable Long egressBytes,
    @Nullable String cost,
    @Nullable Integer warnPercent) {
  private static final int MAX_COST = 32;

  public Budget toBudget() {
    return new Budget(
        period == null ? Budget.Period.TOTAL : requirePeriod(period),
        cpuSeconds == null ? OptionalLong.empty() : OptionalLong.of(cpuSeconds),
        egressBytes == null ? OptionalLong.empty() : OptionalLong.of(egressBytes),
        Optional.ofNullable(cost).map(BudgetBody::requireCost),
        warnPercent == null ? Budget.USUAL_WARNING : warnPercent);
  }

  private static Budget.Period requirePeriod(String word) {
    return Budget.Period.find(word)
        .orElseThrow(() -> new IllegalArgumentException("period must be total, day or month"));
  }

  private static BigDecimal requireCost(String text) {
    if (text.length() > MAX_COST || !text.matches("[0-9]+(\\.[0-9]+)?")) {
      throw new IllegalArgumentException("cost must be a decimal number such as 2.50, as text");
    }
    return new BigDecimal(text);
  }

  /** A budget as callers see it, with what has been taken of it. */
  record Told(
      String period,
      Optional<Long> cpuSeconds,
      Optional<Long> egressBytes,
      Optional<String> cost,
      int warnPercent,
      String level,
      SpentBody spent,
      Optional<Instant> until) {
    static Told of(Spending spending) {
      Budget budget = spending.budget();
      return new Told(
          budget.period().publicName(),
          budget.cpuSeconds().isPresent()
              ? Optional.of(budget.cpuSeconds().getAsLong())
              : Optional.empty(),
          budget.egressBytes().isPresent()
              ? Optional.of(budget.egressBytes().getAsLong())
              : Optional.empty(),
          budget.cost().map(BigDecimal::toPlainString),
          budget.warnPercent(),
          spending.level().publicName(),
          new SpentBody(
              BigDecimal.valueOf(spending.spent().cpuMicros(), 6),
              spending.spent().egressBytes(),
              spending.cost().map(BigDecimal::toPlainString)),
          spending.ends());
    }
  }

  record SpentBody(BigDecimal cpuSeconds, long egressBytes, Optional<String> cost) {}
}
