package dev.cove.control.sandbox;

import dev.cove.model.SandboxId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What must still be done before ledger and world agree, at most one thing per sandbox; each is
 * tried again every second until it succeeds. A restart does the same work, from the ledger.
 */
final class Unfinished implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Unfinished.class);

  private final ConcurrentMap<SandboxId, Runnable> tasks = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("unfinished").daemon().factory());

  Unfinished() {
    var _ = timer.scheduleWithFixedDelay(this::tryAll, 1, 1, TimeUnit.SECONDS);
  }

  /** A later task for the same sandbox takes the place of an earlier one. */
  void add(SandboxId id, Runnable task) {
    tasks.put(id, task);
  }

  /** The task was done after all; does nothing when another has taken its place. */
  void done(SandboxId id, Runnable task) {
    tasks.remove(id, task);
  }

  private void tryAll() {
    tasks.forEach((id, task) -> {
      try {
        task.run();
        tasks.remove(id, task);
      } catch (RuntimeException e) {
        // Whatever went wrong for one sandbox, the others still want their turn.
        log.debug("sandbox {} is still unfinished", id, e);
      }
    });
  }

  @Override
  public void close() {
    timer.shutdownNow();
    timer.close();
  }
}
