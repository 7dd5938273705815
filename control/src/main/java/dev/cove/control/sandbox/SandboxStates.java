package dev.cove.control.sandbox;

import dev.cove.control.ledger.Micros;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.usage.Budget;
import dev.cove.control.usage.BudgetHolder;
import dev.cove.control.usage.Budgets;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import dev.cove.model.observe.Tally;
import dev.cove.node.Node;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
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
  private final Node node;
  private final Volumes volumes;
  private final Unfinished unfinished;
  private final Clock clock;
  private volatile Optional<Budgets> allowed = Optional.empty();
  private final ExecutorService losses = Executors.newVirtualThreadPerTaskExecutor();

  /** For people, where nothing of a sandbox is left. */
  private static final Map<StopReason, String> WORDS =
      Map.of(
          StopReason.OUT_OF_MEMORY, "out of memory",
          StopReason.AGENT_ENDED, "its agent ended",
          StopReason.LOST, "it could not be started again");

  SandboxStates(
      SandboxLedger rows,
      SandboxIndex index,
      Node node,
      Volumes volumes,
      Unfinished unfinished,
      Clock clock) {
    this.rows = rows;
    this.index = index;
    this.node = node;
    this.volumes = volumes;
    this.unfinished = unfinished;
    this.clock = clock;
  }

  void allowWithin(Budgets budgets) {
    allowed = Optional.of(budgets);
  }

  /**
   * Refuses to let something run for which nothing is left.
   *
   * @throws CoveException BUDGET_EXHAUSTED
   */
  void requireBudget(SandboxId id, SandboxSpec spec) {
    allowed.ifPresent(budgets -> budgets.requireLeft(id, spec.project().value()));
  }

  /** The same for one that is to be made. */
  void requireBudget(SandboxSpec spec, Optional<Budget> wanted) {
    allowed.ifPresent(budgets -> {
      wanted.ifPresent(budgets::requirePossible);
      budgets.requireLeft(BudgetHolder.ofProject(spec.project().value()));
    });
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

  /** Refuses one of which no process is there. */
  static SandboxId requireStanding(Sandbox sandbox) {
    return switch (sandbox.state()) {
      case SandboxState.Running _, SandboxState.Paused _ -> sandbox.id();
      default -> throw notRunning(sandbox);
    };
  }

  static CoveException notRunning(Sandbox sandbox) {
    String message =
        sandbox.state() instanceof SandboxState.Failed failed
            ? "Sandbox %s has failed: %s.".formatted(sandbox.id(), failed.reason())
            : "Sandbox %s is %s, not running."
                .formatted(sandbox.id(), sandbox.state().publicName());
    return new CoveException(ErrorCode.CONFLICT, message);
  }

  /** First the ledger, then what callers see. */
  void enter(Entry entry, SandboxState next) {
    rows.updateState(entry.sandbox().in(next));
    show(entry, next);
  }

  /**
   * The same without a wait for the disk, for what would not survive the machine either: after a
   * restart of the host, a sandbox that ran and one that was paused are both stopped.
   */
  void enterAhead(Entry entry, SandboxState next) {
    rows.updateStateAhead(entry.sandbox().in(next));
    show(entry, next);
  }

  /** What was announced did not happen. */
  void returnTo(Entry entry, SandboxState before) {
    show(entry, before);
    recordOrRetry(entry);
  }

  /** Shows a state that the ledger has already. */
  void show(Entry entry, SandboxState next) {
    Sandbox sandbox = entry.sandbox();
    index.move(entry, next);
    log.info("sandbox {} {} -> {}", sandbox.id(), sandbox.state().publicName(), next.publicName());
  }

  /** Takes note, a moment later, of a sandbox that ended by itself. */
  void lost(SandboxId id, StopReason reason, boolean filesKept) {
    Tally.SANDBOXES_LOST.increment();
    SandboxState next =
        filesKept
            ? new SandboxState.Stopped(reason, Micros.now(clock))
            : new SandboxState.Failed(WORDS.getOrDefault(reason, "it ended by itself"));
    try {
      losses.execute(() -> index.find(id).ifPresent(entry -> end(entry, next)));
    } catch (RejectedExecutionException _) {
      log.info("sandbox {} was lost during shut-down; the next start will find out", id);
    }
  }

  private void end(Entry entry, SandboxState next) {
    lock(entry);
    try {
      SandboxState now = entry.sandbox().state();
      if (now instanceof SandboxState.Stopped || !now.canBecome(next) || node.runs(entry.id())) {
        return; // it was stopped meanwhile, and perhaps started anew
      }
      show(entry, next);
      volumes.release(entry.id()); // nothing of it runs any more
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
