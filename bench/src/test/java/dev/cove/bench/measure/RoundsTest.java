package dev.cove.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.bench.report.Finding.Timing;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RoundsTest {

  @Test
  void contenders_take_turns_in_changing_order_and_warm_ups_do_not_count() throws Exception {
    var turns = new ArrayList<String>();
    var rounds = new Rounds(Duration.ZERO);
    for (String name : List.of("a", "b", "c")) {
      rounds.add(
          name,
          name,
          () -> {
            turns.add(name);
            return Duration.ofMillis(1);
          });
    }
    rounds.run(2, 10);
    assertThat(turns).hasSize(36);
    for (int i = 0; i < 36; i += 3) {
      assertThat(turns.subList(i, i + 3)).containsExactlyInAnyOrder("a", "b", "c");
    }
    assertThat(turns.subList(0, 3)).isNotEqualTo(turns.subList(3, 6));
    assertThat(rounds.timings()).extracting(Timing::key).containsExactly("a", "b", "c");
    assertThat(rounds.timings()).allSatisfy(t -> assertThat(t.samples().count()).isEqualTo(10));
  }

  @Test
  void a_contender_that_keeps_failing_is_left_out_and_named() throws Exception {
    var attempts = new AtomicInteger();
    var rounds = new Rounds(Duration.ZERO);
    rounds.add(
        "broken",
        "the broken one",
        () -> {
          attempts.incrementAndGet();
          throw new IOException("No such thing.");
        });
    rounds.run(5, 100);
    assertThat(attempts).hasValue(10);
    assertThat(rounds.timings().getFirst().samples().failures()).isEqualTo(10);
    assertThat(rounds.notes()).containsExactly("the broken one failed: No such thing.");
  }
}
