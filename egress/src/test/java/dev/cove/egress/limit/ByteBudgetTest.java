package dev.cove.egress.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
  private final AtomicLong clock = new AtomicLong();
  private final ByteBudget budget = new ByteBudget(100, clock::get);

  @Test
  void an_hour_has_so_many_bytes_and_the_next_has_them_again() {
    assertThat(budget.spend(60)).isTrue();
    assertThat(budget.spend(40)).isTrue();
    assertThat(budget.isSpent()).isFalse();
    assertThat(budget.spend(1)).isFalse();
    assertThat(budget.isSpent()).isTrue();
    clock.addAndGet(Duration.ofMinutes(59).toNanos());
    assertThat(budget.isSpent()).isTrue();
    clock.addAndGet(Duration.ofMinutes(1).toNanos());
    assertThat(budget.isSpent()).isFalse();
    assertThat(budget.spend(100)).isTrue();
  }

  @Test
  void a_change_holds_at_once_and_forgets_nothing() {
    assertThat(budget.spend(90)).isTrue();
    budget.change(80);
    assertThat(budget.isSpent()).isTrue();
    budget.change(0);
    assertThat(budget.spend(1L << 40)).isTrue();
  }
}
