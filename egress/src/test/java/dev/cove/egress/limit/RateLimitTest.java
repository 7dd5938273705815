package dev.cove.egress.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RateLimitTest {
  private final AtomicLong clock = new AtomicLong();
  private final RateLimit limit = new RateLimit(10, 20, clock::get);

  @Test
  void after_a_pause_some_at_once_and_then_so_many_per_second() {
    assertThat(taken(100)).isEqualTo(20);
    clock.addAndGet(1_000_000_000L);
    assertThat(taken(100)).isEqualTo(10);
    clock.addAndGet(100_000_001L);
    assertThat(taken(100)).isEqualTo(1);
    clock.addAndGet(3_600_000_000_000L);
    assertThat(taken(100)).isEqualTo(20);
  }

  private long taken(int wanted) {
    return IntStream.range(0, wanted).filter(_ -> limit.take()).count();
  }
}
