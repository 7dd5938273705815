package dev.cove.control.sandbox;

import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.volume.Volumes;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.node.Node;
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

  private final SandboxLedger rows;
  private final SandboxIndex index;
  private final SandboxStates states;
  private final Unfinished unfinished;
  private final Node node;
  private final Volumes volumes;
  private final List<Consumer<SandboxId>> whenGone = new CopyOnWriteArrayList<>();

  Removal(
      SandboxLedger rows,
      SandboxIndex index,
      SandboxStates states,
      Unfinished unfinished,
      Node node,
      Volumes volumes) {
    this.rows = rows;
    this.index = index;
    this.states = states;
    this.unfinished = unfinished;
    this.node = node;
    this.volumes = volumes;
  }

  void whenGone(Consumer<SandboxId> listener) {
    whenGone.add(listener);
  }

  void delete(Entry entry) {
    SandboxStates.lock(entry);
    try {
      if (!index.holds(entry)) {
        throw SandboxIndex.noSuchSandbox();
      }
      if (!entry.isDeleted()) {
        states.enter(entry, new SandboxState.Deleted());
      }
      takeApart(entry);
    } finally {
      entry.lock.unlock();
    }
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
    volumes.release(id);
    if (entry.acknowledged()) {
      rows.removeLater(id, () -> unfinished.add(id, () -> rows.remove(id)));
    } else {
      rows.forget(id);
    }
    index.remove(entry);
    whenGone.forEach(listener -> listener.accept(id));
  }
}
