package dev.cove.control.sandbox;

import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes sandboxes from one state to the next: first in the ledger, then for all to see. Whoever
 * does so holds the lock of the sandbox's entry.
 */
final class SandboxStates implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SandboxStates.class);

  /** Longer than any start or removal takes that will still succeed. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final SandboxLedger rows;
  private final SandboxIndex index;
  private final Volumes volumes;
  private final Unfinished unfinished;
  private final ExecutorService losses = Executors.newVirtualThreadPerTaskExecutor();

  SandboxStates(SandboxLedger rows, SandboxIndex index, Volumes volumes, Unfinished unfinished) {
    this.rows = rows;
    this.index = index;
    this.volumes = volumes;
    this.unfinished = unfinished;
  }

  /** Does something with a sandbox that is there and that nobody else changes meanwhile. */
  <T> T locked(Entry entry, Function<Entry, T> work) {
    lock(entry);
    try {
      requireThere(entry);
      return work.apply(entry);
    } finally {
      entry.lock.unlock();
    }
  }

  static void lock(Entry entry) {
    try {
      if (entry.lock.tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
    throw new CoveException(
        ErrorCode.CONFLICT, "Sandbox %s is busy; repeat the request.".formatted(entry.id()));
  }

  private static void requireThere(Entry entry) {
    if (entry.isDeleted()) {
      throw SandboxIndex.noSuchSandbox();
    }
  }

  static SandboxId requireRunning(Sandbox sandbox) {
    return switch (sandbox.state()) {
      case SandboxState.Running _ -> sandbox.id();
      case SandboxState.Failed failed ->
          throw new CoveException(
              ErrorCode.CONFLICT,
              "Sandbox %s has failed: %s.".formatted(sandbox.id(), failed.reason()));
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Paused _,
          SandboxState.Stopped _,
          SandboxState.Deleted _ ->
          throw new CoveException(
              ErrorCode.CONFLICT,
              "Sandbox %s is %s, not running."
                  .formatted(sandbox.id(), sandbox.state().publicName()));
    };
  }

  /** First the ledger, then what callers see. */
  void enter(Entry entry, SandboxState next) {
    rows.updateState(entry.sandbox().in(next));
    show(entry, next);
  }

  /** Shows a state that the ledger has already. */
  void show(Entry entry, SandboxState next) {
    Sandbox sandbox = entry.sandbox();
    index.move(entry, next);
    log.info("sandbox {} {} -> {}", sandbox.id(), sandbox.state().publicName(), next.publicName());
  }

  /** Takes note, a moment later, of a sandbox that ended by itself. */
  void lost(SandboxId id, String reason) {
    try {
      losses.execute(() -> index.find(id).ifPresent(entry -> fail(entry, reason)));
    } catch (RejectedExecutionException _) {
      log.info("sandbox {} was lost during shut-down; the next start will find out", id);
    }
  }

  private void fail(Entry entry, String reason) {
    lock(entry);
    try {
      var failed = new SandboxState.Failed(reason);
      Sandbox sandbox = entry.sandbox();
      if (!sandbox.state().canBecome(failed)) {
        return;
      }
      index.move(entry, failed);
      volumes.release(sandbox.id()); // the node has taken it apart already
      log.info("sandbox {} {} -> failed: {}", sandbox.id(), sandbox.state().publicName(), reason);
      recordOrRetry(entry);
    } finally {
      entry.lock.unlock();
    }
  }

  /** Brings the ledger to what is already so, now or as soon as it can be written. */
  private void recordOrRetry(Entry entry) {
    try {
      rows.updateState(entry.sandbox());
    } catch (CoveException e) {
      String state = entry.sandbox().state().publicName();
      log.warn("sandbox {} is {}, but the ledger does not know yet", entry.id(), state, e);
      unfinished.add(entry.id(), () -> record(entry));
    }
  }

  private void record(Entry entry) {
    lock(entry);
    try {
      rows.updateState(entry.sandbox());
    } finally {
      entry.lock.unlock();
    }
  }

  @Override
  public void close() {
    losses.close();
  }
}
