package dev.cove.control.usage;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What usage costs. Decimal numbers throughout; a cost is rounded once, to millionths.
 *
 * @param currency a word of the operator's, such as EUR
 */
public record Prices(String currency, Map<Measure, BigDecimal> each) {
  private static final Pattern CURRENCY = Pattern.compile("[A-Za-z]{1,12}");
  private static final Pattern PRICE = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,12})?");
  private static final int MAX_LINES = 100;
  private static final int EXACT = 24;
  public static final int DECIMALS = 6;

  public Prices {
    each = Map.copyOf(each);
  }

  /** What can have a price, and of how much. */
  public enum Measure {
    CPU_HOUR(Amounts::cpuMicros, 3_600_000_000L),
    MEMORY_GB_HOUR(Amounts::memoryKibSeconds, 1024L * 1024 * 3_600),
    DISK_GB_HOUR(Amounts::diskKibSeconds, 1024L * 1024 * 3_600),
    SENT_GB(Amounts::sentBytes, 1L << 30),
    RECEIVED_GB(Amounts::receivedBytes, 1L << 30),
    RUNNING_HOUR(Amounts::runningMillis, 3_600_000),
    PAUSED_HOUR(Amounts::pausedMillis, 3_600_000),
    STOPPED_HOUR(Amounts::stoppedMillis, 3_600_000);

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a method
    private final ToLongFunction<Amounts> amount;

    private final long unit;

    Measure(ToLongFunction<Amounts> amount, long unit) {
      this.amount = amount;
      this.unit = unit;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Optional<Measure> find(String word) {
      return Arrays.stream(values()).filter(one -> one.word().equals(word)).findFirst();
    }
  }

  /**
   * Reads lines of a measure and its price.
   *
   * @throws IllegalArgumentException naming every fault with its line
   */
  public static Prices parse(String text) {
    var faults = new ArrayList<String>();
    var each = new EnumMap<Measure, BigDecimal>(Measure.class);
    String currency = "";
    List<String> lines = text.lines().limit(MAX_LINES + 1L).toList();
    if (lines.size() > MAX_LINES) {
      throw new IllegalArgumentException("it has more than " + MAX_LINES + " lines");
    }
    for (int i = 0; i < lines.size(); i++) {
      String[] words = lines.get(i).replaceFirst("#.*", "").strip().split("\\s+");
      String where = "line " + (i + 1) + ": ";
      if (words[0].isEmpty()) {
        continue;
      }
      if (words.length != 2) {
        faults.add(where + "must be a word and its value");
      } else if (words[0].equals("currency")) {
        if (!CURRENCY.matcher(words[1]).matches() || !currency.isEmpty()) {
          faults.add(where + "currency must be given once, in up to 12 letters");
        }
        currency = words[1];
      } else {
        read(words, where, each, faults);
      }
    }
    if (currency.isEmpty()) {
      faults.add("it must name a currency, as in: currency EUR");
    }
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
    return new Prices(currency, each);
  }

  private static void read(
      String[] words, String where, Map<Measure, BigDecimal> each, List<String> faults) {
    Optional<Measure> measure = Measure.find(words[0]);
    if (measure.isEmpty()) {
      faults.add(where + "there is no price of that name; there are currency, " + known());
    } else if (!PRICE.matcher(words[1]).matches()) {
      faults.add(where + "a price is a decimal number such as 0.0125");
    } else if (each.put(measure.get(), new BigDecimal(words[1])) != null) {
      faults.add(where + "that price is given twice");
    }
  }

  private static String known() {
    return Arrays.stream(Measure.values()).map(Measure::word).collect(Collectors.joining(", "));
  }

  /** In the currency, to a millionth of it. */
  public BigDecimal costOf(Amounts amounts) {
    BigDecimal cost = BigDecimal.ZERO;
    for (var price : each.entrySet()) {
      Measure measure = price.getKey();
      cost =
          cost.add(
              BigDecimal.valueOf(measure.amount.applyAsLong(amounts))
                  .multiply(price.getValue())
                  .divide(BigDecimal.valueOf(measure.unit), EXACT, RoundingMode.HALF_EVEN));
    }
    return cost.setScale(DECIMALS, RoundingMode.HALF_EVEN);
  }
}
