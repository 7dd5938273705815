package dev.cove.control.usage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A list of prices, and what comes of it. */
class PricesTest {
  @Test
  void a_cost_is_exact_to_a_millionth() {
    Prices prices =
        Prices.parse(
            """
            # by the hour
            currency EUR
            cpu-hour 0.036
            memory-gb-hour 0.0036  # of what is in use
            sent-gb 0.1
            """);
    assertThat(prices.currency()).isEqualTo("EUR");
    var second = new Amounts(1_000_000, 0, 0, 0, 0, 0, 0, 0);
    assertThat(prices.costOf(second).toPlainString()).isEqualTo("0.000010");
    var hour = new Amounts(0, 1024L * 1024 * 3_600, 0, 1L << 29, 7, 9, 9, 9);
    assertThat(prices.costOf(hour).toPlainString()).isEqualTo("0.053600");
    var many = new Amounts(Long.MAX_VALUE, 0, 0, 0, 0, 0, 0, 0);
    assertThat(prices.costOf(many).toPlainString()).isEqualTo("92233720.368548");
  }

  @Test
  void every_fault_of_a_list_is_named_with_its_line() {
    assertThatThrownBy(() -> Prices.parse("cpu-hour -1\ncpu 2\n\nsent-gb 1 2\ndisk-gb-hour 1e3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("line 1: a price is a decimal number")
        .hasMessageContaining(
            "line 2: there is no price of that name; there are currency, cpu-hour")
        .hasMessageContaining("line 4: must be a word and its value")
        .hasMessageContaining("line 5: a price")
        .hasMessageContaining("must name a currency");
    assertThatThrownBy(() -> Prices.parse("currency EUR\ncpu-hour 1\ncpu-hour 2"))
        .hasMessageContaining("line 3: that price is given twice");
    assertThatThrownBy(() -> Prices.parse("\n".repeat(200))).hasMessageContaining("100 lines");
  }
}
