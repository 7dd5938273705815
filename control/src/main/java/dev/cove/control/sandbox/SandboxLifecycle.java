package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.sandbox.SandboxIndex.Entry;
import dev.cove.control.template.Catalogue;
import dev.cove.control.volume.Volumes;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.network.NetworkSettings;
import dev.cove.node.Node;
import dev.cove.node.SandboxMetrics;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of sandboxes as callers see it. Safe for use by many threads.
 *
 * <p>{@link Making} and {@link Removal} are its ends; {@link SandboxStates} is how they write down
 * what they do.
 */
public final class SandboxLifecycle implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SandboxLifecycle.class);

  private final SandboxLedger rows;
  private final Node node;
  private final SandboxIndex index = new SandboxIndex();
  private final Unfinished unfinished = new Unfinished();
  private final SandboxStates states;
  private final Removal removal;
  private final Making making;

  private SandboxLifecycle(SandboxLedger rows, Making.World world) {
    this.rows = rows;
    this.node = world.node();
    this.states = new SandboxStates(rows, index, world.volumes(), unfinished);
    this.removal = new Removal(rows, index, states, unfinished, node, world.volumes());
    this.making = new Making(rows, index, states, removal, unfinished, world);
  }

  /** Brings ledger and node together, then takes requests. */
  public static SandboxLifecycle recover(
      Ledger ledger, Node node, Catalogue templates, Volumes volumes, Clock clock) {
    return recover(ledger, node, templates, volumes, clock, Recovery.bootId());
  }

  static SandboxLifecycle recover(
      Ledger ledger, Node node, Catalogue templates, Volumes volumes, Clock clock, String bootId) {
    var rows = new SandboxLedger(ledger);
    var lifecycle = new SandboxLifecycle(rows, new Making.World(node, templates, volumes, clock));
    node.onLost(lifecycle.states::lost);
    new Recovery(rows, lifecycle.index, node, volumes, clock).run(bootId);
    return lifecycle;
  }

  public Created create(CreateSandbox request) {
    return making.create(request);
  }

  /** Makes a sandbox, or finds the one that was made when the same was asked for before. */
  Created once(Optional<IdempotentRequest> repeatable, Supplier<Sandbox> make) {
    return making.once(repeatable, make);
  }

  /** A sandbox that begins with the state of another; to be called from {@link #once}. */
  Sandbox create(CreateSandbox request, Origin origin, Optional<IdempotentRequest> repeatable) {
    return making.make(request, origin, repeatable);
  }

  /** Does something with a running sandbox that nobody else changes meanwhile. */
  <T> T exclusively(String idOrName, Function<Sandbox, T> work) {
    return states.locked(
        index.require(idOrName),
        entry -> {
          SandboxStates.requireRunning(entry.sandbox());
          return work.apply(entry.sandbox());
        });
  }

  /**
   * Ends a running sandbox and builds it over other layers; inside {@link #exclusively}.
   *
   * @param undo what it is now, and becomes again when the server ends in the midst of this
   */
  void rebuild(Sandbox sandbox, List<LayerId> layers, Checkpoint undo) {
    SandboxId id = sandbox.id();
    boolean restored = false;
    try {
      rows.beginRebuild(id, undo.id());
      FailPoint.RESTORE_ANNOUNCED.reached();
      node.rebuild(id, sandbox.spec(), layers, undo.layers());
      FailPoint.RESTORE_REBUILT.reached();
      restored = true;
    } finally {
      endRebuild(id, restored); // also of one whose beginning the ledger may still come to
    }
  }

  private void endRebuild(SandboxId id, boolean restored) {
    try {
      rows.endRebuild(id, restored);
    } catch (CoveException e) {
      log.warn("sandbox {} was rebuilt, but the ledger does not know yet", id, e);
      unfinished.add(id, () -> rows.endRebuild(id, restored));
    }
  }

  public SandboxPage list(Map<String, String> labels, int limit, Optional<String> cursor) {
    if (limit < 1 || limit > SandboxIndex.MAX_PAGE) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "limit must be between 1 and " + SandboxIndex.MAX_PAGE + ".");
    }
    return index.page(labels, limit, cursor.map(Cursor::parse));
  }

  public Sandbox require(String idOrName) {
    return index.require(idOrName).sandbox();
  }

  Optional<Sandbox> find(SandboxId id) {
    return index.find(id).filter(entry -> !entry.isDeleted()).map(Entry::sandbox);
  }

  /** Sets the labels that have a value and drops those that have none; others stay. */
  public Sandbox relabel(String idOrName, Map<String, Optional<String>> changes) {
    return states.locked(
        index.require(idOrName),
        entry -> {
          Sandbox sandbox = entry.sandbox();
          var labels = new HashMap<>(sandbox.spec().labels());
          changes.forEach((key, value) ->
              value.ifPresentOrElse(text -> labels.put(key, text), () -> labels.remove(key)));
          SandboxSpec spec = valid(() -> sandbox.spec().withLabels(labels));
          rows.updateLabels(sandbox.id(), spec.labels());
          index.respecify(entry, spec);
          return entry.sandbox();
        });
  }

  /** Changes what a sandbox may reach, at once where it runs. */
  public Sandbox changeNetwork(String idOrName, UnaryOperator<NetworkSettings> change) {
    return states.locked(
        index.require(idOrName),
        entry -> {
          Sandbox sandbox = entry.sandbox();
          SandboxSpec spec =
              valid(() -> sandbox.spec().withNetwork(change.apply(sandbox.spec().network())));
          rows.updateNetwork(sandbox.id(), spec.network());
          index.respecify(entry, spec);
          node.networks().change(sandbox.id(), spec.network());
          return entry.sandbox();
        });
  }

  public void delete(String idOrName) {
    removal.delete(index.requireEvenDeleted(idOrName));
  }

  /**
   * The agent of a running sandbox.
   *
   * @throws CoveException CONFLICT when it does not run
   */
  public Guest guest(String idOrName) {
    return node.guest(requireRunning(idOrName));
  }

  public SandboxMetrics metrics(String idOrName) {
    return node.metrics(requireRunning(idOrName));
  }

  private SandboxId requireRunning(String idOrName) {
    return SandboxStates.requireRunning(index.require(idOrName).sandbox());
  }

  /** Tells with which rules a sandbox was written down, before it runs. Must not wait. */
  void onRules(BiConsumer<SandboxId, CheckpointRules> listener) {
    making.onRules(listener);
  }

  /** Tells when something that a sandbox stood on may have become useless. Must not wait. */
  void afterRemoval(Runnable listener) {
    removal.whenGone(_ -> listener.run());
  }

  /** Tells whoever keeps something for a sandbox that it has gone. */
  public void whenGone(Consumer<SandboxId> listener) {
    removal.whenGone(listener);
  }

  /** Leaves the sandboxes as they are. */
  @Override
  public void close() {
    states.close();
    unfinished.close();
  }

  static SandboxSpec valid(Supplier<SandboxSpec> spec) {
    try {
      return spec.get();
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }
}
