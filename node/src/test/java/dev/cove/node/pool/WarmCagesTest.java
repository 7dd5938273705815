package dev.cove.node.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.node.supervisor.SandboxSupervisor;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WarmCagesTest {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch enough = new CountDownLatch(1);
  private final AtomicReference<String> outcome = new AtomicReference<>("none");

  /** Takes its time, and notices when it is not given it. */
  private SandboxSupervisor build() {
    begun.countDown();
    try {
      outcome.set(enough.await(30, TimeUnit.SECONDS) ? "in peace" : "too long");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      outcome.set("interrupted");
    }
    throw new CoveException(ErrorCode.UNAVAILABLE, "it is only a test");
  }

  @Test
  void a_cage_that_is_being_built_is_built_to_its_end_before_the_pool_closes() throws Exception {
    var pool = new WarmCages(1, this::build);
    pool.start();
    begun.await();
    Thread closing = Thread.ofVirtual().start(pool::close);
    closing.join(200);
    assertThat(closing.isAlive()).as("it waits for what is being built").isTrue();
    enough.countDown();
    closing.join();
    assertThat(outcome).hasValue("in peace");
    assertThat(pool.count()).isZero();
  }
}
