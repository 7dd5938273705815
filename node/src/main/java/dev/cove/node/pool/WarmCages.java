package dev.cove.node.pool;

import dev.cove.model.CoveException;
import dev.cove.node.supervisor.SandboxSupervisor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a number of cages standing, agent and all, each under the id that the sandbox will have.
 *
 * <p>Only the most common shape is kept: the default template and disk size. Limits are set when a
 * cage is taken. Nobody's code has ever run in a warm cage, and a used one never comes back.
 */
final class WarmCages implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmCages.class);

  /** After a failure, so that a host in trouble is not hammered. */
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  /**
   * Refilling waits until nobody has taken a cage for so long: who did wants the processor for the
   * first command in it.
   */
  private static final Duration LULL = Duration.ofMillis(40);

  private final int size;
  private final Supplier<SandboxSupervisor> builder;
  private final ConcurrentLinkedDeque<SandboxSupervisor> ready = new ConcurrentLinkedDeque<>();
  private final Semaphore wanted = new Semaphore(0);
  private final AtomicBoolean started = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ReentrantLock building = new ReentrantLock();
  private volatile long lastTakenNanos = System.nanoTime() - LULL.toNanos();
  private final Thread filler;

  WarmCages(int size, Supplier<SandboxSupervisor> builder) {
    this.size = size;
    this.builder = builder;
    this.filler = Thread.ofVirtual().name("warm-cages").unstarted(this::fill);
  }

  /** Does nothing the second time. */
  void start() {
    if (started.compareAndSet(false, true)) {
      wanted.release(size);
      filler.start();
    }
  }

  /** A warm cage that lives, if there is one. */
  Optional<SandboxSupervisor> take() {
    while (true) {
      SandboxSupervisor cage = ready.poll();
      if (cage == null) {
        return Optional.empty();
      }
      lastTakenNanos = System.nanoTime();
      wanted.release();
      if (!cage.cage().exit().isDone()) {
        return Optional.of(cage);
      }
    }
  }

  int count() {
    return ready.size();
  }

  private void fill() {
    try {
      while (!closed.get()) {
        wanted.acquire();
        awaitLull();
        if (!built()) {
          wanted.release();
          TimeUnit.NANOSECONDS.sleep(AFTER_FAILURE.toNanos());
        }
      }
    } catch (InterruptedException e) {
      return;
    }
  }

  private void awaitLull() throws InterruptedException {
    long left = lastTakenNanos + LULL.toNanos() - System.nanoTime();
    while (left > 0) {
      TimeUnit.NANOSECONDS.sleep(left);
      left = lastTakenNanos + LULL.toNanos() - System.nanoTime();
    }
  }

  /** Whoever is interrupted while he builds a cage leaves half of one behind. */
  private boolean built() {
    building.lock();
    try {
      if (!closed.get()) {
        ready.add(builder.get());
      }
      return true;
    } catch (CoveException e) {
      LOG.warn("no warm cage could be built: {}", e.getMessage());
      return false;
    } finally {
      building.unlock();
    }
  }

  /** Stops refilling, once what is being built stands, and removes what stands ready. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true) || started.compareAndSet(false, true)) {
      return;
    }
    building.lock();
    try {
      filler.interrupt();
    } finally {
      building.unlock();
    }
    try {
      filler.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<SandboxSupervisor> left = new ArrayList<>();
    for (var cage = ready.poll(); cage != null; cage = ready.poll()) {
      left.add(cage);
    }
    left.forEach(SandboxSupervisor::remove);
  }
}
