package dev.cove.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final long PLENTY = 8L << 30;

  @Test
  void exactly_the_maximum_is_let_in_even_when_all_come_at_once() {
    var admission = new Admission(20, 1 << 20, () -> PLENTY);
    var refused = new AtomicInteger();

    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        Future<?> _ =
            threads.submit(() -> {
              try {
                admission.enter();
              } catch (CoveException e) {
                refused.incrementAndGet();
              }
            });
      }
    }

    assertThat(admission.taken()).isEqualTo(20);
    assertThat(refused).hasValue(180);
  }

  @Test
  void a_place_given_back_can_be_taken_again() {
    var admission = new Admission(1, 1 << 20, () -> PLENTY);
    admission.enter();
    admission.leave();

    admission.enter();

    assertThat(admission.taken()).isEqualTo(1);
  }

  @Test
  void a_limit_beyond_the_machine_is_refused_and_one_within_it_is_not() {
    var oneGibibyte =
        new Admission.AvailableMemory() {
          @Override
          public long bytes() {
            return PLENTY;
          }

          @Override
          public long totalBytes() {
            return 1L << 30;
          }
        };
    var admission = new Admission(10, 24 << 20, oneGibibyte);
    admission.requireFits(1_000);

    assertThatExceptionOfType(CoveException.class)
        .isThrownBy(() -> admission.requireFits(1_001))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  @Test
  void nobody_is_let_in_when_the_reserve_is_touched() {
    var admission = new Admission(10, 512 << 20, () -> 511L << 20);

    assertThatExceptionOfType(CoveException.class)
        .isThrownBy(admission::enter)
        .withMessageContaining("511 MiB")
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_ROOM));
    assertThat(admission.taken()).isZero();
  }

  @Test
  void the_kernel_says_how_much_memory_is_available() {
    assertThat(new KernelMemory().bytes()).isBetween(1L << 20, 1L << 50);
  }
}
