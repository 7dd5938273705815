package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A sandbox that has nothing to do with an attack next door and must not feel it. */
final class Bystander implements AutoCloseable {
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
  private static final long PAUSE_MILLIS = 50;

  /** Something hostile, done while the bystander works. */
  interface Attack {
    void run() throws Exception;
  }

  private final Cove cove;
  private final Sandbox box;

  private Bystander(Cove cove, Sandbox box) {
    this.cove = cove;
    this.box = box;
  }

  static Bystander in(Cove cove) {
    Sandbox box = cove.sandboxes().create();
    var bystander = new Bystander(cove, box);
    bystander.execTime();
    return bystander;
  }

  Sandbox box() {
    return box;
  }

  /** Runs the attack; until it is over, commands here must end within a second. */
  void unharmedBy(Attack attack) throws Exception {
    var over = new CountDownLatch(1);
    CompletableFuture<Duration> worst = CompletableFuture.supplyAsync(() -> worstUntil(over));
    try {
      attack.run();
    } finally {
      over.countDown();
    }
    assertThat(result(worst)).as("longest exec of the bystander").isLessThan(LONGEST_WAIT);
    assertThat(cove.healthy()).as("the server is healthy").isTrue();
  }

  private static Duration result(CompletableFuture<Duration> worst)
      throws InterruptedException, TimeoutException {
    try {
      return worst.get(1, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      throw new AssertionError("The bystander's command failed", e.getCause());
    }
  }

  private Duration worstUntil(CountDownLatch over) {
    Duration worst = Duration.ZERO;
    boolean ended = false;
    while (!ended) {
      Duration took = execTime();
      worst = took.compareTo(worst) > 0 ? took : worst;
      try {
        ended = over.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        ended = true;
      }
    }
    return worst;
  }

  private Duration execTime() {
    long start = System.nanoTime();
    assertThat(box.exec("echo", "ok").stdout()).isEqualTo("ok\n");
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Override
  public void close() {
    box.close();
  }
}
