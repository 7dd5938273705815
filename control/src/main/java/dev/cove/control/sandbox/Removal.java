package dev.cove.control.sandbox;

import dev.cove.control.ledger.Micros;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.service.Services;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import dev.cove.model.crash.FailPoint;
import dev.cove.node.Node;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes sandboxes apart: the row says so, which frees the name; the world follows; the row goes.
 */
final class Removal {
  private static final Logger log = LoggerFactory.getLogger(Removal.class);
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  private final SandboxLedger rows;
  private final SandboxIndex index;
  private final SandboxStates states;
  private final Unfinished unfinished;
  private final Node node;
  private final Volumes volumes;
  private final Services services;
  private final Clock clock;
  private final List<Consumer<SandboxId>> whenGone = new CopyOnWriteArrayList<>();

  Removal(
      SandboxLedger rows,
      SandboxIndex index,
      SandboxStates states,
      Unfinished unfinished,
      Making.World world) {
    this.rows = rows;
    this.index = index;
    this.states = states;
    this.unfinished = unfinished;
    this.node = world.node();
    this.volumes = world.volumes();
    this.services = world.services();
    this.clock = world.clock();
  }

  void whenGone(Consumer<SandboxId> listener) {
    whenGone.add(listener);
  }

  void delete(Entry entry) {
    delete(entry, Duration.ZERO);
  }

  /**
   * Deletes a sandbox, which is then stopped and kept for so long.
   *
   * @param kept zero for one that is to go at once, also when it was to be kept
   */
  void delete(Entry entry, Duration kept) {
    SandboxStates.lock(entry);
    try {
      if (!index.holds(entry)) {
        throw SandboxIndex.noSuchSandbox();
      }
      if (!kept.isZero() && hasFiles(entry)) {
        discard(entry, kept);
        return;
      }
      if (!(entry.sandbox().state() instanceof SandboxState.Deleted)) {
        states.enter(entry, new SandboxState.Deleted());
        FailPoint.DELETE_RECORDED.reached();
      }
      takeApart(entry);
    } finally {
      entry.lock.unlock();
    }
  }

  /** The time is over for which it was kept; unless somebody has undeleted it just now. */
  void removeDiscarded(Entry entry) {
    SandboxStates.lock(entry);
    try {
      if (index.holds(entry) && entry.isDiscarded()) {
        delete(entry, Duration.ZERO);
      }
    } finally {
      entry.lock.unlock();
    }
  }

  private static boolean hasFiles(Entry entry) {
    return switch (entry.sandbox().state()) {
      case SandboxState.Running _, SandboxState.Paused _, SandboxState.Stopped _ -> true;
      default -> false;
    };
  }

  private void discard(Entry entry, Duration kept) {
    Instant now = Micros.now(clock);
    states.enter(entry, new SandboxState.Discarded(now, now.plus(kept)));
    FailPoint.DISCARD_RECORDED.reached();
    services.ending(entry.id());
    try {
      halt(entry, STOP_GRACE);
    } catch (CoveException e) {
      log.warn("sandbox {} is deleted and could not yet be stopped", entry.id(), e);
      unfinished.add(entry.id(), () -> haltLater(entry));
    }
    FailPoint.DISCARD_HALTED.reached();
  }

  private void halt(Entry entry, Duration grace) {
    node.stop(entry.id(), grace);
    volumes.release(entry.id());
  }

  private void haltLater(Entry entry) {
    SandboxStates.lock(entry);
    try {
      if (entry.isDiscarded()) {
        halt(entry, Duration.ZERO);
      }
    } finally {
      entry.lock.unlock();
    }
  }

  /** Takes back a deletion. It is stopped then, and starts when it is used. */
  Sandbox undelete(Entry entry) {
    SandboxStates.lock(entry);
    try {
      if (!index.holds(entry) || !entry.isDiscarded()) {
        throw noneToUndelete();
      }
      Sandbox stopped =
          entry.sandbox().in(new SandboxState.Stopped(StopReason.UNDELETED, Micros.now(clock)));
      String name = rows.undelete(stopped);
      FailPoint.UNDELETE_RECORDED.reached();
      index.undelete(entry, stopped.as(stopped.spec().withName(name)));
      log.info("sandbox {} undeleted", entry.id());
      return entry.sandbox();
    } finally {
      entry.lock.unlock();
    }
  }

  static CoveException noneToUndelete() {
    return new CoveException(
        ErrorCode.NOT_FOUND,
        "There is no such sandbox among those that are deleted and kept; cove ls --deleted shows"
            + " them.");
  }

  /** Undoes a create that failed. The failure itself is what the caller hears of. */
  void abandon(Entry entry) {
    index.move(entry, new SandboxState.Deleted());
    try {
      takeApart(entry);
    } catch (CoveException e) {
      log.warn("sandbox {} could not be taken apart after a failed start", entry.id(), e);
    }
  }

  /** Lets go of a place that no record points to. */
  void giveBack(SandboxId id) {
    try {
      node.remove(id);
      volumes.release(id);
    } catch (CoveException e) {
      log.warn("the place of sandbox {} could not be given back", id, e);
      unfinished.add(
          id,
          () -> {
            node.remove(id);
            volumes.release(id);
            rows.forget(id);
          });
    }
  }

  /** Removes a deleted sandbox from the world, then from the ledger. The caller has the lock. */
  private void takeApart(Entry entry) {
    SandboxId id = entry.id();
    Runnable again =
        () -> {
          SandboxStates.lock(entry);
          try {
            removeEverywhere(entry);
          } finally {
            entry.lock.unlock();
          }
        };
    unfinished.add(id, again);
    removeEverywhere(entry);
    unfinished.done(id, again);
    log.info("sandbox {} gone", id);
  }

  private void removeEverywhere(Entry entry) {
    if (!index.holds(entry)) {
      return;
    }
    SandboxId id = entry.id();
    node.remove(id);
    FailPoint.DELETE_TAKEN_APART.reached();
    volumes.release(id);
    if (entry.acknowledged()) {
      rows.removeLater(id, () -> unfinished.add(id, () -> rows.remove(id)));
    } else {
      rows.forget(id);
    }
    FailPoint.DELETE_FORGOTTEN.reached();
    index.remove(entry);
    whenGone.forEach(listener -> listener.accept(id));
  }
}
