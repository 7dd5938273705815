package dev.cove.control.usage;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How much may be used in each period. What is reached first counts.
 *
 * @param egressBytes both ways together
 * @param warnPercent of a limit, at which its owner is told
 */
public record Budget(
    Period period,
    OptionalLong cpuSeconds,
    OptionalLong egressBytes,
    Optional<BigDecimal> cost,
    int warnPercent) {
  public static final int USUAL_WARNING = 80;
  private static final long MOST = 1_000_000_000_000_000L;
  private static final BigDecimal MOST_COST = BigDecimal.valueOf(1_000_000_000);

  public Budget {
    if (cpuSeconds.isEmpty() && egressBytes.isEmpty() && cost.isEmpty()) {
      throw new IllegalArgumentException("A budget has cpuSeconds, egressBytes, cost, or several");
    }
    if (cpuSeconds.orElse(0) < 0 || cpuSeconds.orElse(0) > MOST / 1_000_000) {
      throw new IllegalArgumentException("cpuSeconds must be between 0 and " + MOST / 1_000_000);
    }
    if (egressBytes.orElse(0) < 0 || egressBytes.orElse(0) > MOST) {
      throw new IllegalArgumentException("egressBytes must be between 0 and " + MOST);
    }
    if (cost.filter(most -> !isCost(most)).isPresent()) {
      throw new IllegalArgumentException(
          "cost must be between 0 and %s, with at most %d decimals"
              .formatted(MOST_COST.toPlainString(), Prices.DECIMALS));
    }
    if (warnPercent < 1 || warnPercent > 100) {
      throw new IllegalArgumentException("warnPercent must be between 1 and 100");
    }
  }

  private static boolean isCost(BigDecimal cost) {
    return cost.signum() >= 0
        && cost.compareTo(MOST_COST) <= 0
        && cost.stripTrailingZeros().scale() <= Prices.DECIMALS;
  }

  /** After which time a budget is whole again. Days and months are those of UTC. */
  public enum Period {
    TOTAL,
    DAY,
    MONTH;

    public String publicName() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Period> find(String publicName) {
      return Arrays.stream(values()).filter(one -> one.publicName().equals(publicName)).findFirst();
    }

    Instant startOf(Instant now) {
      LocalDate day = now.atOffset(ZoneOffset.UTC).toLocalDate();
      return switch (this) {
        case TOTAL -> Instant.EPOCH;
        case DAY -> begin(day);
        case MONTH -> begin(day.withDayOfMonth(1));
      };
    }

    /** Empty for one that never ends. */
    Optional<Instant> endAfter(Instant start) {
      LocalDate day = start.atOffset(ZoneOffset.UTC).toLocalDate();
      return switch (this) {
        case TOTAL -> Optional.empty();
        case DAY -> Optional.of(begin(day.plusDays(1)));
        case MONTH -> Optional.of(begin(day.plusMonths(1)));
      };
    }

    private static Instant begin(LocalDate day) {
      return day.atStartOfDay().toInstant(ZoneOffset.UTC);
    }
  }
}
