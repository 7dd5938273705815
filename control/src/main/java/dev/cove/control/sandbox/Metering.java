package dev.cove.control.sandbox;

import dev.cove.control.ledger.Change;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.usage.Budgets;
import dev.cove.control.usage.Meters;
import dev.cove.control.usage.Retention;
import dev.cove.model.CoveException;
import dev.cove.model.PauseReason;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.node.Node;
import dev.cove.node.Reading;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads, round after round, what sandboxes have used. How often does not change what is counted but
 * how old it is at most; and how closely memory and disk are followed, which are sampled.
 *
 * <p>One that rests uses nothing but time, so it is not read: its time is written down now and
 * then, and at the turn of each hour, so that it stands under the hours in which it passed.
 */
public final class Metering implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Metering.class);

  /** So many sandboxes share a transaction: others wait for a few milliseconds at most. */
  private static final int BATCH = 200;

  /** So many rounds pass between two for those that rest. */
  private static final int RESTING_EVERY = 30;

  private final Ledger ledger;
  private final Meters meters;
  private final SandboxIndex index;
  private final Node node;
  private final Clock clock;
  private final Settings settings;
  private final Rest rest;
  private final List<Consumer<Sandbox>> whenRead;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** In which state each was when it was last read. Of the rounds alone. */
  private Map<SandboxId, SandboxState> lastRead = new HashMap<>();

  private int rounds;
  private Instant hour = Instant.EPOCH;

  /**
   * How it is done.
   *
   * @param interval between two rounds
   */
  public record Settings(Duration interval, Budgets budgets, Retention retention) {}

  Metering(
      Ledger ledger,
      Meters meters,
      SandboxIndex index,
      Node node,
      Rest rest,
      List<Consumer<Sandbox>> whenRead,
      Clock clock,
      Settings settings) {
    this.ledger = ledger;
    this.meters = meters;
    this.index = index;
    this.node = node;
    this.clock = clock;
    this.rest = rest;
    this.whenRead = whenRead;
    this.settings = settings;
    this.thread = Thread.ofPlatform().daemon().name("metering").unstarted(this::run);
  }

  Metering begin() {
    thread.start();
    return this;
  }

  private void run() {
    try {
      do {
        roundOrLog();
      } while (!closing.await(untilNext().toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** At the turn of the hour at the latest. */
  private Duration untilNext() {
    Instant now = clock.instant();
    Duration left = Duration.between(now, hourOf(now).plus(1, ChronoUnit.HOURS)).plusMillis(1);
    return left.compareTo(settings.interval()) < 0 ? left : settings.interval();
  }

  private static Instant hourOf(Instant time) {
    return time.truncatedTo(ChronoUnit.HOURS);
  }

  private void roundOrLog() {
    try {
      meters.settleDebts();
      Instant before = hour;
      round(isRestingDue());
      settings.budgets().look();
      pauseSpent();
      if (!hour.equals(before)) {
        settings.retention().apply(ledger, clock.instant());
      }
    } catch (CoveException e) {
      log.warn("What sandboxes have used could not be written down yet: {}", e.getMessage());
    }
  }

  /** Those for which nothing is left; what they have done so far is kept, in memory and on disk. */
  private void pauseSpent() {
    for (Sandbox sandbox : index.all()) {
      if (sandbox.state() instanceof SandboxState.Running
          && !settings.budgets().hasLeft(sandbox.id(), sandbox.spec().project().value())) {
        pauseOrLog(sandbox.id());
      }
    }
  }

  private void pauseOrLog(SandboxId id) {
    try {
      index.find(id).ifPresent(entry -> rest.pause(entry, PauseReason.BUDGET));
      log.info("sandbox {}: paused, its budget is used up", id);
    } catch (CoveException e) {
      log.warn("sandbox {}: its budget is used up, and it could not be paused yet", id, e);
    }
  }

  private boolean isRestingDue() {
    Instant now = hourOf(clock.instant());
    boolean due = rounds++ % RESTING_EVERY == 0 || !now.equals(hour);
    hour = now;
    return due;
  }

  private void round(boolean withResting) {
    var reads = new HashMap<SandboxId, SandboxState>();
    var batch = new ArrayList<Change<Boolean>>();
    for (Sandbox sandbox : index.all()) {
      SandboxId id = sandbox.id();
      SandboxState state = sandbox.state();
      boolean changed = !state.equals(lastRead.get(id));
      reads.put(id, state);
      if (state instanceof SandboxState.Running || changed) {
        Reading reading = node.reading(id);
        batch.add(session -> {
          meters.take(session, id, reading);
          return true;
        });
        whenRead.forEach(listener -> listener.accept(sandbox));
      } else if (withResting) {
        batch.add(session -> {
          meters.pass(session, id);
          return true;
        });
      }
      if (batch.size() == BATCH) {
        write(batch);
      }
    }
    write(batch);
    lastRead = reads;
  }

  private void write(List<Change<Boolean>> batch) {
    if (batch.isEmpty()) {
      return;
    }
    var all = List.copyOf(batch);
    batch.clear();
    ledger.writeAhead(session -> {
      for (Change<Boolean> one : all) {
        one.apply(session);
      }
      return true;
    });
  }

  /** Reads everything once more. */
  @Override
  public void close() {
    closing.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    rounds = 0;
    roundOrLog();
  }
}
