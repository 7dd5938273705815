package dev.cove.control.sandbox;

import dev.cove.control.ledger.Micros;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.service.Services;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.PauseReason;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.life.LifeRules;
import dev.cove.model.observe.Step;
import dev.cove.node.Node;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets sandboxes rest, with their memory or without, and takes them out of it.
 *
 * <p>The row comes first, so whoever finds it after a crash knows how the sandbox is to be. Only a
 * start is written down when it is done: one that was cut short never was, and the files are there.
 */
final class Rest {
  private static final Logger log = LoggerFactory.getLogger(Rest.class);

  private final SandboxLedger rows;
  private final SandboxIndex index;
  private final SandboxStates states;
  private final Unfinished unfinished;
  private final QuotaGuard quotas;
  private final Node node;
  private final Volumes volumes;
  private final Services services;
  private final Clock clock;

  Rest(
      SandboxLedger rows,
      SandboxIndex index,
      SandboxStates states,
      Unfinished unfinished,
      QuotaGuard quotas,
      Making.World world) {
    this.rows = rows;
    this.index = index;
    this.states = states;
    this.unfinished = unfinished;
    this.quotas = quotas;
    this.node = world.node();
    this.volumes = world.volumes();
    this.services = world.services();
    this.clock = world.clock();
  }

  Sandbox pause(Entry entry, PauseReason reason) {
    return states.locked(
        entry,
        same -> {
          switch (same.sandbox().state()) {
            case SandboxState.Paused _ -> {}
            case SandboxState.Running _ ->
                Step.PAUSE.run(() -> freeze(same, reason, this::pauseAlways));
            default -> throw cannot("paused", same.sandbox());
          }
          return same.sandbox();
        });
  }

  private boolean pauseAlways(SandboxId id) {
    node.pause(id);
    return true;
  }

  /**
   * Pauses a running sandbox in which nothing has happened since. Whoever is just at work on it has
   * its lock, and is not waited for.
   *
   * @return whether it is paused now
   */
  boolean pauseUnless(Entry entry, Node.Activity seen) {
    if (!entry.lock.tryLock()) {
      return false;
    }
    try {
      return entry.sandbox().state() instanceof SandboxState.Running
          && node.activity(entry.id()).filter(now -> now.quietSince(seen)).isPresent()
          && Step.PAUSE.run(
              () -> freeze(entry, PauseReason.IDLE, id -> node.pauseUnless(id, seen)));
    } finally {
      entry.lock.unlock();
    }
  }

  /**
   * @return false when the node did not pause it after all
   */
  private boolean freeze(Entry entry, PauseReason reason, Predicate<SandboxId> pause) {
    SandboxState before = entry.sandbox().state();
    states.enterAhead(entry, new SandboxState.Paused(reason, Micros.now(clock)));
    FailPoint.PAUSE_RECORDED.reached();
    boolean frozen = false;
    try {
      frozen = pause.test(entry.id());
    } finally {
      if (!frozen) {
        states.returnTo(entry, before);
      }
    }
    FailPoint.PAUSE_FROZEN.reached();
    return frozen;
  }

  Sandbox resume(Entry entry) {
    return states.locked(
        entry,
        same -> {
          switch (same.sandbox().state()) {
            case SandboxState.Running _ -> {}
            case SandboxState.Paused _ -> Step.RESUME.run(() -> thaw(same));
            default -> throw cannot("resumed", same.sandbox());
          }
          return same.sandbox();
        });
  }

  private void thaw(Entry entry) {
    states.requireBudget(entry.id(), entry.sandbox().spec());
    renewLife(entry);
    states.enterAhead(entry, new SandboxState.Running(Micros.now(clock)));
    FailPoint.RESUME_RECORDED.reached();
    node.resume(entry.id());
    FailPoint.RESUME_THAWED.reached();
    services.resumed(entry.id());
  }

  /**
   * Ends the processes of a sandbox in order and keeps its files.
   *
   * @param grace how long they may take after they were asked to end
   */
  Sandbox stop(Entry entry, StopReason reason, Duration grace) {
    return states.locked(
        entry,
        same -> {
          switch (same.sandbox().state()) {
            case SandboxState.Running _, SandboxState.Paused _ ->
                Step.STOP.run(() -> halt(same, reason, grace));
            case SandboxState.Stopped now -> {
              if (now.reason().wakes() && !reason.wakes()) {
                states.enter(same, new SandboxState.Stopped(reason, now.since()));
              }
            }
            default -> throw cannot("stopped", same.sandbox());
          }
          return same.sandbox();
        });
  }

  private void halt(Entry entry, StopReason reason, Duration grace) {
    SandboxId id = entry.id();
    states.enter(entry, new SandboxState.Stopped(reason, Micros.now(clock)));
    FailPoint.STOP_RECORDED.reached();
    services.ending(id);
    try {
      node.stop(id, grace);
    } catch (CoveException e) {
      log.warn("sandbox {} is to be stopped and could not yet be", id, e);
      unfinished.add(id, () -> haltLater(entry));
      throw e;
    }
    FailPoint.STOP_HALTED.reached();
    volumes.release(id);
  }

  private void haltLater(Entry entry) {
    states.locked(
        entry,
        same -> {
          if (same.sandbox().state() instanceof SandboxState.Stopped) {
            node.stop(same.id(), Duration.ZERO);
            volumes.release(same.id());
          }
          return true;
        });
  }

  /** Makes a sandbox run, whatever it was stopped or paused for. */
  Sandbox start(Entry entry) {
    return states.locked(
        entry,
        same -> {
          run(same, true);
          return same.sandbox();
        });
  }

  /**
   * Makes a sandbox run that somebody has work for. Of many that come at once, one does it and the
   * others wait.
   *
   * @throws CoveException CONFLICT when it was stopped on purpose, or cannot run any more
   */
  Sandbox wake(Entry entry) {
    return states.locked(
        entry,
        same -> {
          if (same.sandbox().state() instanceof SandboxState.Stopped stopped
              && !stopped.reason().wakes()) {
            throw new CoveException(
                ErrorCode.CONFLICT,
                "Sandbox %s was stopped (%s); start it first, for example with cove start %s."
                    .formatted(same.id(), stopped.reason().publicName(), same.id()));
          }
          run(same, true);
          return same.sandbox();
        });
  }

  /** For somebody who waits at the link of a paused sandbox, and cannot be told what went wrong. */
  void wanted(SandboxId id) {
    try {
      index.find(id).ifPresent(this::wake);
    } catch (CoveException e) {
      log.warn("sandbox {}: could not be woken: {}", id, e.getMessage());
    }
  }

  /**
   * Does something with a sandbox's files that nobody else changes meanwhile. One that is paused
   * stays so; one that is stopped has a cage for just so long, in which nothing of it runs.
   */
  <T> T withFiles(Entry entry, Function<Sandbox, T> work) {
    return states.locked(
        entry,
        same ->
            switch (same.sandbox().state()) {
              case SandboxState.Running _, SandboxState.Paused _ -> work.apply(same.sandbox());
              case SandboxState.Stopped _ -> inPassing(same, work);
              default -> throw SandboxStates.notRunning(same.sandbox());
            });
  }

  /** Without its volumes, which others may have meanwhile and which no checkpoint holds. */
  private <T> T inPassing(Entry entry, Function<Sandbox, T> work) {
    restart(entry.id(), entry.sandbox().spec().withVolumes(List.of()));
    try {
      return work.apply(entry.sandbox());
    } finally {
      try {
        node.stop(entry.id(), Duration.ZERO);
      } catch (CoveException e) {
        log.warn("sandbox {} could not be stopped again", entry.id(), e);
        unfinished.add(entry.id(), () -> haltLater(entry));
      }
    }
  }

  /** The same for what ends with a sandbox that runs; its services are not started for it. */
  <T> T running(Entry entry, Function<Sandbox, T> work) {
    return states.locked(
        entry,
        same -> {
          if (same.sandbox().state() instanceof SandboxState.Stopped) {
            run(same, false);
          }
          SandboxStates.requireStanding(same.sandbox());
          states.requireBudget(same.id(), same.sandbox().spec());
          return work.apply(same.sandbox());
        });
  }

  /**
   * For what concerns its programs: one that is paused goes on first, one that is stopped stays so.
   */
  <T> T tending(Entry entry, Function<Sandbox, T> work) {
    return states.locked(
        entry,
        same -> {
          if (same.sandbox().state() instanceof SandboxState.Paused) {
            Step.RESUME.run(() -> thaw(same));
          }
          return work.apply(same.sandbox());
        });
  }

  /** A paused sandbox is about to be ended and built anew, which ends its rest. */
  void endRest(SandboxId id) {
    index
        .find(id)
        .filter(entry -> entry.sandbox().state() instanceof SandboxState.Paused)
        .ifPresent(entry -> states.enterAhead(entry, new SandboxState.Running(Micros.now(clock))));
  }

  private void run(Entry entry, boolean withServices) {
    switch (entry.sandbox().state()) {
      case SandboxState.Running _ -> {}
      case SandboxState.Paused _ -> Step.RESUME.run(() -> thaw(entry));
      case SandboxState.Stopped before -> Step.START.run(() -> build(entry, before, withServices));
      default -> throw SandboxStates.notRunning(entry.sandbox());
    }
  }

  private void build(Entry entry, SandboxState.Stopped before, boolean withServices) {
    SandboxId id = entry.id();
    states.requireBudget(id, entry.sandbox().spec());
    renewLife(entry);
    volumes.claim(id, entry.sandbox().spec().volumes());
    boolean shown = false;
    try {
      quotas.start(entry.sandbox().spec(), () -> states.show(entry, new SandboxState.Starting()));
      shown = true;
    } finally {
      if (!shown) {
        volumes.release(id);
      }
    }
    boolean runs = false;
    try {
      restart(id, entry.sandbox().spec());
      FailPoint.START_BUILT.reached();
      if (withServices) {
        // Where one does not come up the sandbox runs on, so that its owner can see why.
        services.start(id, false);
      }
      FailPoint.START_SERVED.reached();
      states.enter(entry, new SandboxState.Running(Micros.now(clock)));
      runs = true;
    } finally {
      if (!runs) {
        states.show(entry, before);
        stopQuietly(entry);
      }
    }
  }

  private void restart(SandboxId id, SandboxSpec spec) {
    NoPlaceException.taking(() -> {
      node.restart(id, spec);
      return true;
    });
  }

  private void stopQuietly(Entry entry) {
    try {
      node.stop(entry.id(), Duration.ZERO);
      volumes.release(entry.id());
    } catch (CoveException e) {
      log.warn("sandbox {} could not be stopped after a failed start", entry.id(), e);
      unfinished.add(entry.id(), () -> haltLater(entry));
    }
  }

  /** Whoever goes on after the end of a life begins a new one. */
  private void renewLife(Entry entry) {
    Sandbox sandbox = entry.sandbox();
    Instant now = Micros.now(clock);
    if (endedByItsLife(sandbox.state())
        || sandbox.endsAt().filter(end -> !end.isAfter(now)).isPresent()) {
      setEnd(entry, Sandbox.endOfLife(sandbox.spec(), sandbox.usual(), now));
    }
  }

  private static boolean endedByItsLife(SandboxState state) {
    return switch (state) {
      case SandboxState.Paused paused -> paused.reason() == PauseReason.MAX_LIFE;
      case SandboxState.Stopped stopped -> stopped.reason() == StopReason.MAX_LIFE;
      default -> false;
    };
  }

  private void setEnd(Entry entry, Optional<Instant> end) {
    if (!end.equals(entry.sandbox().endsAt())) {
      rows.updateLife(entry.sandbox().endingAt(end));
      index.endLifeAt(entry, end);
    }
  }

  /**
   * Changes what happens to a sandbox by itself.
   *
   * @param anew whether its life begins now, as far as its end is concerned
   */
  Sandbox changeLife(Entry entry, UnaryOperator<LifeRules> change, boolean anew) {
    return states.locked(
        entry,
        same -> {
          SandboxSpec spec = same.sandbox().spec();
          SandboxSpec next = SandboxLifecycle.valid(() -> spec.withLife(change.apply(spec.life())));
          Sandbox changed = same.sandbox().as(next);
          Optional<Instant> end =
              anew ? Sandbox.endOfLife(next, changed.usual(), Micros.now(clock)) : changed.endsAt();
          rows.updateLife(changed.endingAt(end));
          index.respecify(same, next);
          index.endLifeAt(same, end);
          return same.sandbox();
        });
  }

  /** Starts a sandbox that ran when the host went down, if nobody has said otherwise since. */
  void startAgain(SandboxId id) {
    index
        .find(id)
        .ifPresent(entry ->
            states.locked(
                entry,
                same -> {
                  if (same.sandbox().state() instanceof SandboxState.Stopped stopped
                      && stopped.reason() == StopReason.HOST_RESTARTED) {
                    run(same, true);
                  }
                  return true;
                }));
  }

  private static CoveException cannot(String become, Sandbox sandbox) {
    return new CoveException(
        ErrorCode.CONFLICT,
        "Sandbox %s is %s and cannot be %s."
            .formatted(sandbox.id(), sandbox.state().publicName(), become));
  }
}
