package dev.cove.control.sandbox;

import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.model.CoveException;
import dev.cove.model.PauseReason;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import dev.cove.model.life.LifeRules;
import dev.cove.model.life.OnEnd;
import dev.cove.node.Node;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
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
 * Does by the clock what the rules say of lives: pauses who is idle, stops who has been paused for
 * long, ends lives that are over, removes who was deleted and kept for long enough, and starts
 * again who ran when the host went down.
 *
 * <p>One thread looks; what takes time is done on others, a few at once. Looking asks nobody inside
 * a sandbox and wakes nobody. Nothing of it is written down: after a restart all have just been
 * active, and the other times are counted from what the ledger says.
 */
public final class LifeWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LifeWatch.class);
  private static final Duration TICK = Duration.ofMillis(400);
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  /** What could not be done is tried again after this. */
  private static final Duration AGAIN = Duration.ofSeconds(10);

  private static final int AT_ONCE = 16;

  private final SandboxLifecycle lifecycle;
  private final SandboxLedger rows;
  private final SandboxIndex index;
  private final Rest rest;
  private final Removal removal;
  private final Node node;
  private final Clock wall;
  private final double idleCpu;
  private final Map<SandboxId, Watched> watched = new ConcurrentHashMap<>();
  private final Set<SandboxId> underWay = ConcurrentHashMap.newKeySet();
  private final Semaphore places = new Semaphore(AT_ONCE);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("life-watch").factory());

  /** What is known of one sandbox between two looks. */
  private static final class Watched {
    private final Idleness idleness = new Idleness();
    private final Countdown life = new Countdown();
    private final Countdown pause = new Countdown();
    private final Countdown deletion = new Countdown();
    private volatile long notBefore;

    Watched(long nanos) {
      notBefore = nanos;
    }
  }

  LifeWatch(
      SandboxLifecycle lifecycle,
      SandboxLedger rows,
      SandboxIndex index,
      Rest rest,
      Removal removal,
      Node node,
      Clock wall,
      double idleCpu) {
    this.lifecycle = lifecycle;
    this.rows = rows;
    this.index = index;
    this.rest = rest;
    this.removal = removal;
    this.node = node;
    this.wall = wall;
    this.idleCpu = idleCpu;
    lifecycle.whenGone(watched::remove);
  }

  /** Looks from now on, and first starts who is to run again. */
  public void begin() {
    for (SandboxId id : rows.toStartAgain()) {
      soon(id, () -> startAgain(id));
    }
    ScheduledFuture<?> _ =
        timer.scheduleWithFixedDelay(
            this::lookSafely, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Once: what cannot be started is stopped as it was, and starts when it is used. */
  private void startAgain(SandboxId id) {
    try {
      rest.startAgain(id);
    } finally {
      rows.startedAgain(id);
    }
  }

  private void lookSafely() {
    try {
      look(System.nanoTime());
    } catch (RuntimeException e) {
      log.error("the rules of lives could not be looked after", e); // a timer that throws ends
    }
  }

  void look(long nanos) {
    for (Entry entry : index.discarded()) {
      Watched known = watched.computeIfAbsent(entry.id(), _ -> new Watched(nanos));
      if (nanos - known.notBefore >= 0
          && entry.sandbox().state() instanceof SandboxState.Discarded kept
          && known.deletion.isOver(kept.until(), LifeRules.LONGEST, wall, nanos)) {
        soon(entry.id(), () -> removal.removeDiscarded(entry));
      }
    }
    for (Entry entry : index.entries()) {
      Watched known = watched.computeIfAbsent(entry.id(), _ -> new Watched(nanos));
      if (nanos - known.notBefore >= 0 && !underWay.contains(entry.id())) {
        look(entry, known, nanos);
      }
    }
  }

  private void look(Entry entry, Watched known, long nanos) {
    Sandbox sandbox = entry.sandbox();
    LifeRules rules = sandbox.life();
    if (isOver(sandbox, rules, known, nanos)) {
      end(entry, sandbox.state(), rules.onEnd().orElse(OnEnd.STOP));
      return;
    }
    switch (sandbox.state()) {
      case SandboxState.Running _ -> {
        Optional<Duration> after = rules.pauseAfter();
        if (after.isPresent()) {
          lookAtIdleness(entry, after.get(), known, nanos);
        }
      }
      case SandboxState.Paused paused -> {
        known.idleness.forget();
        Optional<Duration> after = rules.stopAfter();
        if (after.isPresent()
            && known.pause.isOver(paused.since().plus(after.get()), after.get(), wall, nanos)) {
          stop(entry, StopReason.IDLE);
        }
      }
      default -> known.idleness.forget();
    }
  }

  private boolean isOver(Sandbox sandbox, LifeRules rules, Watched known, long nanos) {
    Optional<Instant> end = sandbox.endsAt();
    return end.isPresent()
        && known.life.isOver(end.get(), rules.lifetime().orElse(LifeRules.LONGEST), wall, nanos);
  }

  private void lookAtIdleness(Entry entry, Duration after, Watched known, long nanos) {
    if (!known.idleness.isDue(after, nanos)) {
      return;
    }
    Optional<Node.Activity> now = node.activity(entry.id());
    if (now.isEmpty()) {
      known.idleness.forget();
      return;
    }
    known.idleness.note(now.get(), idleCpu, nanos);
    if (known.idleness.hasLasted(after, nanos)) {
      soon(
          entry.id(),
          () -> {
            if (!rest.pauseUnless(entry, now.get())) {
              known.idleness.forget();
            }
          });
    }
  }

  /** What has already come to that end is left alone. */
  private void end(Entry entry, SandboxState state, OnEnd how) {
    boolean stands = state instanceof SandboxState.Running || state instanceof SandboxState.Paused;
    switch (how) {
      case PAUSE -> {
        if (state instanceof SandboxState.Running) {
          soon(entry.id(), () -> rest.pause(entry, PauseReason.MAX_LIFE));
        }
      }
      case STOP -> {
        if (stands) {
          stop(entry, StopReason.MAX_LIFE);
        }
      }
      case DELETE -> {
        if (stands || state instanceof SandboxState.Stopped) {
          soon(entry.id(), () -> lifecycle.deleteByItself(entry));
        }
      }
    }
  }

  private void stop(Entry entry, StopReason reason) {
    soon(entry.id(), () -> rest.stop(entry, reason, STOP_GRACE));
  }

  private void soon(SandboxId id, Runnable work) {
    if (underWay.add(id)) {
      threads.execute(() -> inTurn(id, work));
    }
  }

  private void inTurn(SandboxId id, Runnable work) {
    try {
      places.acquire();
      try {
        work.run();
      } catch (CoveException e) {
        log.warn("sandbox {}: what its rules say could not be done: {}", id, e.getMessage());
        later(id);
      } catch (RuntimeException e) {
        log.error("sandbox {}: what its rules say could not be done", id, e);
        later(id);
      } finally {
        places.release();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // the server ends; the next one looks again
    } finally {
      underWay.remove(id);
    }
  }

  private void later(SandboxId id) {
    watched.computeIfPresent(
        id,
        (_, known) -> {
          known.notBefore = System.nanoTime() + AGAIN.toNanos();
          return known;
        });
  }

  /** Begins nothing more, and waits for what is under way. */
  @Override
  public void close() {
    timer.shutdownNow();
    timer.close();
    threads.shutdown();
    try {
      if (!threads.awaitTermination(2 * STOP_GRACE.toSeconds(), TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
