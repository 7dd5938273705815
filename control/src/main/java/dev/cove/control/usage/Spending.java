package dev.cove.control.usage;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A budget and what has been taken of it.
 *
 * @param began when the period began that this is about
 * @param spent since then
 * @param cost of what was spent, where there are prices
 */
public record Spending(
    BudgetHolder holder, Budget budget, Instant began, Amounts spent, Optional<BigDecimal> cost) {
  private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

  /** How much of a budget is gone. */
  public enum Level {
    WITHIN,
    WARNED,
    EXHAUSTED;

    public String publicName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How much of one limit is gone. */
  public record Share(String measure, BigDecimal spent, BigDecimal limit) {
    boolean reached(int percent) {
      return spent.multiply(HUNDRED).compareTo(limit.multiply(BigDecimal.valueOf(percent))) >= 0;
    }

    private BigDecimal part() {
      return limit.signum() == 0 ? HUNDRED : spent.divide(limit, 9, RoundingMode.HALF_EVEN);
    }
  }

  /** When the budget is whole again. */
  public Optional<Instant> ends() {
    return budget.period().endAfter(began);
  }

  public boolean isOver(Instant now) {
    return ends().filter(end -> !now.isBefore(end)).isPresent();
  }

  public Level level() {
    Share most = mostSpent();
    if (most.reached(100)) {
      return Level.EXHAUSTED;
    }
    return most.reached(budget.warnPercent()) ? Level.WARNED : Level.WITHIN;
  }

  /** Of the limit that is nearest. */
  public Share mostSpent() {
    return shares().stream().max(Comparator.comparing(Share::part)).orElseThrow();
  }

  private List<Share> shares() {
    var shares = new ArrayList<Share>();
    budget
        .cpuSeconds()
        .ifPresent(limit ->
            shares.add(
                new Share(
                    "cpuSeconds",
                    BigDecimal.valueOf(spent.cpuMicros(), 6),
                    BigDecimal.valueOf(limit))));
    budget
        .egressBytes()
        .ifPresent(limit ->
            shares.add(
                new Share(
                    "egressBytes",
                    BigDecimal.valueOf(spent.egressBytes()),
                    BigDecimal.valueOf(limit))));
    // Without prices nothing costs anything.
    budget
        .cost()
        .ifPresent(limit -> shares.add(new Share("cost", cost.orElse(BigDecimal.ZERO), limit)));
    return shares;
  }
}
