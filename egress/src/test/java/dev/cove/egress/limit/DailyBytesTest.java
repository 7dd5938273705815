package dev.cove.egress.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.ProjectName;
import dev.cove.model.network.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class DailyBytesTest {
  private static final Instant LATE = Instant.parse("2026-03-01T23:30:00Z");
  private static final LocalDate TODAY = LocalDate.of(2026, 3, 1);

  private final AtomicReference<Instant> now = new AtomicReference<>(LATE);
  private final AtomicInteger cuts = new AtomicInteger();
  private final DailyBytes bytes = bytes();

  private DailyBytes bytes() {
    InstantSource clock = now::get;
    return new DailyBytes(
        new ProjectName("shop"), clock.withZone(ZoneOffset.UTC), cuts::incrementAndGet);
  }

  @Test
  void a_day_has_so_many_bytes_and_the_next_has_them_again() {
    bytes.limit(OptionalLong.of(100));
    assertThat(bytes.spend(99)).isTrue();
    assertThat(bytes.objection()).isEmpty();
    assertThat(bytes.spend(1)).as("the last of them").isTrue();
    assertThat(bytes.objection().map(Verdict::rule))
        .contains("quota egressMbPerDay of project shop");
    assertThat(cuts).hasValue(0);
    assertThat(bytes.spend(1)).isFalse();
    assertThat(bytes.spend(1)).isFalse();
    assertThat(cuts).as("once").hasValue(1);
    now.set(LATE.plus(Duration.ofHours(1)));
    assertThat(bytes.objection()).isEmpty();
    assertThat(bytes.spend(100)).isTrue();
  }

  @Test
  void a_change_holds_at_once_and_forgets_nothing() {
    assertThat(bytes.spend(90)).as("as many as anybody likes").isTrue();
    bytes.limit(OptionalLong.of(80));
    assertThat(cuts).hasValue(1);
    assertThat(bytes.objection()).isPresent();
    bytes.limit(OptionalLong.of(200));
    assertThat(bytes.objection()).isEmpty();
    assertThat(bytes.spend(110)).isTrue();
    bytes.limit(OptionalLong.empty());
    assertThat(bytes.spend(1L << 40)).isTrue();
    bytes.limit(OptionalLong.of(0));
    assertThat(bytes.objection()).as("nothing at all").isPresent();
  }

  @Test
  void what_was_spent_before_counts_for_its_own_day_alone() {
    bytes.begin(TODAY.minusDays(1), 1_000);
    assertThat(bytes.spentToday()).isZero();
    assertThat(bytes.spend(5)).isTrue();
    bytes.begin(TODAY, 1_000);
    assertThat(bytes.spentToday()).isEqualTo(1_005);
  }

  @Test
  void a_day_that_has_begun_is_not_taken_back_by_a_clock_that_is_set_back() {
    assertThat(bytes.spend(7)).isTrue();
    now.set(LATE.plus(Duration.ofHours(1)));
    assertThat(bytes.spentToday()).isZero();
    assertThat(bytes.spend(3)).isTrue();
    now.set(LATE);
    assertThat(bytes.spentToday()).isEqualTo(3);
  }
}
