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

  private static Admission admission(int sandboxes, long memoryBytes, int overcommit) {
    return new Admission(
        new Admission.Limits(sandboxes, 1 << 20, memoryBytes, overcommit), () -> PLENTY);
  }

  @Test
  void exactly_the_maximum_is_let_in_even_when_all_come_at_once() {
    var admission = admission(20, PLENTY, 1);
    var refused = new AtomicInteger();

    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        Future<?> _ =
            threads.submit(() -> {
              try {
                admission.enter(1);
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
    var admission = admission(1, PLENTY, 1);
    admission.enter(1);
    admission.leave(1);

    admission.enter(1);

    assertThat(admission.taken()).isEqualTo(1);
  }

  @Test
  void a_limit_beyond_the_machine_is_refused_and_one_within_it_is_not() {
    var admission = admission(10, 1_000L << 20, 100);
    admission.requireFits(1_000);

    assertThatExceptionOfType(CoveException.class)
        .isThrownBy(() -> admission.requireFits(1_001))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  @Test
  void no_more_is_promised_than_may_be_and_what_leaves_takes_its_promise_along() {
    var admission = admission(10, 300L << 20, 2);
    admission.enter(300);
    admission.enter(200);

    assertThatExceptionOfType(CoveException.class)
        .isThrownBy(() -> admission.enter(101))
        .withMessageContaining("promised 500 MB of the 600")
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_ROOM));
    admission.enter(100);
    assertThat(admission.taken()).isEqualTo(3);
    admission.leave(200);
    admission.adopt(900);
    assertThatExceptionOfType(CoveException.class).isThrownBy(() -> admission.enter(1));
    admission.leave(900);
    admission.enter(200);
  }

  @Test
  void nobody_is_let_in_when_the_reserve_is_touched() {
    var admission = new Admission(new Admission.Limits(10, 512 << 20, PLENTY, 1), () -> 511L << 20);

    assertThatExceptionOfType(CoveException.class)
        .isThrownBy(() -> admission.enter(1))
        .withMessageContaining("511 MiB")
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_ROOM));
    assertThat(admission.taken()).isZero();
  }

  @Test
  void the_kernel_says_how_much_memory_is_available() {
    assertThat(new KernelMemory().bytes()).isBetween(1L << 20, 1L << 50);
  }
}
