package dev.cove.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SamplesTest {

  @Test
  void percentiles_are_values_that_were_measured() {
    Samples samples = Samples.of(millis(40, 10, 30, 20), 0);
    assertThat(samples.minMillis()).isEqualTo(10);
    assertThat(samples.p50Millis()).isEqualTo(20);
    assertThat(samples.p99Millis()).isEqualTo(40);
  }

  @Test
  void the_ninety_ninth_of_a_hundred_is_not_the_worst() {
    var hundred = new ArrayList<>(millis(IntStream.rangeClosed(1, 100).toArray()));
    Collections.reverse(hundred);
    Samples samples = Samples.of(hundred, 0);
    assertThat(samples.p99Millis()).isEqualTo(99);
    assertThat(samples.p50Millis()).isEqualTo(50);
    assertThat(samples.percentileMillis(100)).isEqualTo(100);
  }

  @Test
  void one_sample_is_every_percentile() {
    Samples samples = Samples.of(millis(7), 0);
    assertThat(samples.minMillis()).isEqualTo(7);
    assertThat(samples.p50Millis()).isEqualTo(7);
    assertThat(samples.p99Millis()).isEqualTo(7);
  }

  @Test
  void when_everything_failed_there_is_no_percentile() {
    Samples samples = Samples.of(List.of(), 3);
    assertThat(samples.p50Millis()).isNaN();
    assertThat(samples.failures()).isEqualTo(3);
    assertThat(samples.isEmpty()).isTrue();
  }

  @Test
  void a_percentile_beyond_a_hundred_is_refused() {
    assertThatThrownBy(() -> Samples.of(millis(1), 0).percentileMillis(101))
        .isInstanceOf(IllegalArgumentException.class);
  }

  static List<Duration> millis(int... values) {
    return IntStream.of(values).mapToObj(Duration::ofMillis).toList();
  }

  static List<Duration> repeated(double millis, int times) {
    return Stream.generate(() -> Duration.ofNanos((long) (millis * 1e6))).limit(times).toList();
  }
}
