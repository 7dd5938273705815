package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.model.CheckpointId;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes checkpoints that nobody asks for, where a sandbox's rules say so, and drops those that the
 * rules do not keep. Safe for use by many threads.
 *
 * <p>None is taken while nothing can have changed since the last: no process runs, and nobody has
 * called the agent. Whoever wants a checkpoint before each command wants it for safety, so a
 * command whose checkpoint fails is not started. One that is due by the clock and fails is logged,
 * counted, and tried again when the next is due.
 */
public final class AutomaticCheckpoints implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AutomaticCheckpoints.class);
  private static final Duration LOOK = Duration.ofSeconds(10);

  private final SandboxLifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final Clock clock;
  private final Map<SandboxId, Instant> lastLooked = new ConcurrentHashMap<>();
  private volatile CommandListener listener = (_, _, _) -> {};
  private final LongAdder failures = new LongAdder();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("automatic-checkpoints").factory());

  public AutomaticCheckpoints(SandboxLifecycle lifecycle, Checkpoints checkpoints, Clock clock) {
    this.lifecycle = lifecycle;
    this.checkpoints = checkpoints;
    this.clock = clock;
    lifecycle.onRules(checkpoints::noteRules);
  }

  /** Looks from now on for what is due. */
  public void begin() {
    ScheduledFuture<?> _ =
        timer.scheduleWithFixedDelay(
            this::look, LOOK.toSeconds(), LOOK.toSeconds(), TimeUnit.SECONDS);
  }

  public CheckpointRules rules(String idOrName) {
    return checkpoints.rules(lifecycle.require(idOrName).id());
  }

  public CheckpointRules change(String idOrName, CheckpointRules wanted) {
    return lifecycle.saying(
        idOrName,
        sandbox -> {
          checkpoints.setRules(sandbox.id(), wanted);
          lastLooked.put(sandbox.id(), clock.instant());
          return wanted;
        });
  }

  /** How many could not be taken since the server started. */
  public long failures() {
    return failures.sum();
  }

  /**
   * To be called before a command is started in a sandbox.
   *
   * @throws CoveException when the rules ask for a checkpoint and none can be taken; the command
   *     must not be started then
   */
  public void beforeCommand(Sandbox sandbox, List<String> command) {
    if (!checkpoints.rules(sandbox.id()).beforeExec()) {
      return;
    }
    try {
      Optional<Checkpoint> taken =
          take(sandbox.id(), Checkpoint.Reason.BEFORE_EXEC).or(() -> newest(sandbox.id()));
      taken.ifPresent(before -> listener.starts(sandbox.id(), command, before.id()));
    } catch (CoveException e) {
      failures.increment();
      throw new CoveException(
          e.code(),
          "The command was not started, because the checkpoint before it could not be taken: %s"
                  .formatted(e.getMessage())
              + " Set beforeExec to false to start commands without.",
          e);
    }
  }

  /** Where nothing has changed since, that is what there was before the command. */
  private Optional<Checkpoint> newest(SandboxId id) {
    List<Checkpoint> all = checkpoints.of(id);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.getLast());
  }

  /** Hears of commands that are about to start, and of the state before them. */
  @FunctionalInterface
  interface CommandListener {
    void starts(SandboxId sandbox, List<String> command, CheckpointId before);
  }

  /** Set before the first command. */
  public void record(CommandLog log) {
    listener = log::record;
  }

  private Optional<Checkpoint> take(SandboxId id, Checkpoint.Reason reason) {
    return lifecycle.exclusively(
        id.value(),
        sandbox ->
            checkpoints.mayHaveChanged(id)
                ? Optional.of(checkpoints.take(id, sandbox.spec(), "", reason))
                : Optional.empty());
  }

  /** Takes what is due and drops what is too old. */
  void look() {
    for (var entry : checkpoints.allRules().entrySet()) {
      try {
        look(entry.getKey(), entry.getValue());
      } catch (CoveException e) {
        failures.increment();
        log.warn("sandbox {}: no checkpoint by the clock: {}", entry.getKey(), e.getMessage());
      } catch (RuntimeException e) {
        // A timer that throws is never called again.
        failures.increment();
        log.error("sandbox {}: no checkpoint by the clock", entry.getKey(), e);
      }
    }
  }

  private void look(SandboxId id, CheckpointRules rules) {
    Optional<Sandbox> sandbox = lifecycle.find(id);
    if (sandbox.isEmpty()) {
      checkpoints.forgetRules(id);
      lastLooked.remove(id);
      return;
    }
    checkpoints.dropByRules(id);
    if (rules.everyMinutes().isEmpty()
        || !stands(sandbox.get().state())
        || !due(sandbox.get(), Duration.ofMinutes(rules.everyMinutes().getAsInt()))) {
      return;
    }
    lastLooked.put(id, clock.instant());
    take(id, Checkpoint.Reason.SCHEDULED);
  }

  private static boolean stands(SandboxState state) {
    return state instanceof SandboxState.Running || state instanceof SandboxState.Paused;
  }

  /**
   * Counted from the last checkpoint, or from the last time that one was due. What those inside ask
   * for does not count: they could put ours off for ever.
   */
  private boolean due(Sandbox sandbox, Duration every) {
    List<Checkpoint> taken =
        checkpoints.of(sandbox.id()).stream()
            .filter(one -> one.reason() != Checkpoint.Reason.INSIDE)
            .toList();
    Instant last = taken.isEmpty() ? sandbox.createdAt() : taken.getLast().createdAt();
    Instant looked = lastLooked.getOrDefault(sandbox.id(), Instant.EPOCH);
    Instant now = clock.instant();
    // What lies ahead was noted before the clock was set back, and must not put the next one off.
    return Stream.of(last, looked)
        .filter(one -> !one.isAfter(now))
        .noneMatch(one -> now.isBefore(one.plus(every)));
  }

  @Override
  public void close() {
    timer.shutdownNow();
    try {
      if (!timer.awaitTermination(LOOK.toSeconds(), TimeUnit.SECONDS)) {
        log.warn("a checkpoint is still being taken");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
