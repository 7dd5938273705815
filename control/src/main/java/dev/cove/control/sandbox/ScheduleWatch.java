package dev.cove.control.sandbox;

import dev.cove.control.service.Services;
import dev.cove.control.service.Timetable.Due;
import dev.cove.model.CoveException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts services when their time has come. A sandbox that rests is woken for it as for any other
 * use: one that its owner has stopped stays so, and so does one that has nothing left to spend.
 *
 * <p>A service that still runs when its time has come is not started a second time. What could not
 * be started is not tried before its next time.
 */
public final class ScheduleWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ScheduleWatch.class);
  private static final Duration TICK = Duration.ofMillis(500);
  private static final Duration END = Duration.ofSeconds(10);

  /** So many are woken and started at once; at midnight all come together. */
  private static final int AT_ONCE = 16;

  private final SandboxLifecycle lifecycle;
  private final Services services;
  private final Set<Due> underWay = ConcurrentHashMap.newKeySet();
  private final Set<Due> inVain = ConcurrentHashMap.newKeySet();
  private final Semaphore places = new Semaphore(AT_ONCE, true);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("schedule-watch").factory());

  ScheduleWatch(SandboxLifecycle lifecycle, Services services) {
    this.lifecycle = lifecycle;
    this.services = services;
    lifecycle.whenGone(id -> inVain.removeIf(due -> due.id().equals(id)));
  }

  /** Looks from now on. */
  public void begin() {
    ScheduledFuture<?> _ =
        timer.scheduleWithFixedDelay(
            this::lookSafely, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void lookSafely() {
    try {
      for (Due due : services.due()) {
        if (underWay.add(due)) {
          threads.execute(() -> inTurn(due));
        }
      }
    } catch (RuntimeException e) {
      log.error("schedules could not be looked after", e); // a timer that throws ends
    }
  }

  private void inTurn(Due due) {
    try {
      places.acquire();
      try {
        start(due);
        inVain.remove(due);
      } catch (CoveException e) {
        complain(due, e);
      } catch (RuntimeException e) {
        log.error("sandbox {}: service {} could not be started", due.id(), due.service(), e);
      } finally {
        places.release();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // the server ends; the next one finds that it is due
    } finally {
      underWay.remove(due);
    }
  }

  private void start(Due due) {
    if (services.isStoppedByHand(due.id(), due.service())) {
      return;
    }
    String id = lifecycle.awake(due.id().value()).id().value();
    lifecycle.tending(
        id,
        sandbox -> {
          services.startOne(sandbox.id(), due.service());
          return true;
        });
  }

  /** Once, until it can be started again: a log should not fill up with it. */
  private void complain(Due due, CoveException why) {
    if (inVain.add(due)) {
      log.info(
          "sandbox {}: service {} was due and is not started: {}",
          due.id(),
          due.service(),
          why.getMessage());
      try {
        services.say(due.id(), due.service(), "was due and is not started: " + why.getMessage());
      } catch (CoveException e) {
        log.warn("sandbox {}: {}", due.id(), e.getMessage());
      }
    }
  }

  /** Begins nothing more, and waits for what is under way. */
  @Override
  public void close() {
    timer.shutdownNow();
    timer.close();
    threads.shutdown();
    try {
      if (!threads.awaitTermination(END.toSeconds(), TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
