package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Something that is done while its beginner does something else. */
final class AtOnce {
  private final FutureTask<Boolean> task;

  private AtOnce(FutureTask<Boolean> task) {
    this.task = task;
  }

  /** Work that fails only with {@link EngineException}. */
  static AtOnce begin(Runnable work) {
    var task = new FutureTask<>(work, true);
    Thread.ofVirtual().name("cove-at-once").start(task);
    return new AtOnce(task);
  }

  /** Returns when it is done, or throws what it threw; an interruption waits until then. */
  void await() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          task.get();
          return;
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof EngineException failure) {
        throw failure;
      }
      throw new IllegalStateException(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
