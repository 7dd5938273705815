package dev.cove.edge.usage;

import dev.cove.control.usage.Amounts;
import dev.cove.control.usage.Prices;
import dev.cove.control.usage.UsagePage;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * What one group has used, as callers see it: decimal numbers that nobody has rounded to binary.
 *
 * @param cost as text, so that no reader rounds it either
 */
record UsageBody(
    String key,
    Optional<String> name,
    Optional<String> project,
    BigDecimal cpuSeconds,
    BigDecimal memoryMbSeconds,
    BigDecimal diskMbSeconds,
    long sentBytes,
    long receivedBytes,
    BigDecimal runningSeconds,
    BigDecimal pausedSeconds,
    BigDecimal stoppedSeconds,
    Optional<String> cost) {
  private static final int MICRO = 6;
  private static final int MILLI = 3;
  private static final BigDecimal KIB_PER_MB = BigDecimal.valueOf(1024);

  static UsageBody of(UsagePage.Item item, Optional<Prices> prices) {
    Amounts amounts = item.amounts();
    return new UsageBody(
        item.key(),
        item.name(),
        item.project(),
        BigDecimal.valueOf(amounts.cpuMicros(), MICRO),
        megabytes(amounts.memoryKibSeconds()),
        megabytes(amounts.diskKibSeconds()),
        amounts.sentBytes(),
        amounts.receivedBytes(),
        BigDecimal.valueOf(amounts.runningMillis(), MILLI),
        BigDecimal.valueOf(amounts.pausedMillis(), MILLI),
        BigDecimal.valueOf(amounts.stoppedMillis(), MILLI),
        prices.map(list -> list.costOf(amounts).toPlainString()));
  }

  private static BigDecimal megabytes(long kib) {
    return BigDecimal.valueOf(kib).divide(KIB_PER_MB, MILLI, RoundingMode.HALF_EVEN);
  }
}
