package dev.cove.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClientsTest {

  @Test
  void results_come_in_the_order_of_the_items_and_no_more_clients_work_than_allowed()
      throws Exception {
    var working = new AtomicInteger();
    var most = new AtomicInteger();
    List<Integer> items = IntStream.range(0, 200).boxed().toList();
    List<Integer> doubled =
        Clients.map(
            4,
            items,
            item -> {
              most.accumulateAndGet(working.incrementAndGet(), Math::max);
              working.decrementAndGet();
              return item * 2;
            });
    assertThat(doubled).isEqualTo(items.stream().map(item -> item * 2).toList());
    assertThat(most.get()).isBetween(1, 4);
  }

  @Test
  void clients_really_work_at_the_same_time() throws Exception {
    var all = new CountDownLatch(3);
    List<Boolean> met =
        Clients.map(
            3,
            List.of(1, 2, 3),
            _ -> {
              all.countDown();
              try {
                return all.await(10, TimeUnit.SECONDS);
              } catch (InterruptedException interruption) {
                throw new IllegalStateException(interruption);
              }
            });
    assertThat(met).containsOnly(true);
  }

  @Test
  void a_failure_is_thrown_after_all_items_were_tried() {
    var tried = new AtomicInteger();
    assertThatThrownBy(() ->
            Clients.each(
                2,
                List.of(1, 2, 3, 4),
                item -> {
                  tried.incrementAndGet();
                  if (item == 2) {
                    throw new IllegalArgumentException("two");
                  }
                }))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("two");
    assertThat(tried).hasValue(4);
  }
}
