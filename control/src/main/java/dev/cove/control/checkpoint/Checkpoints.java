package dev.cove.control.checkpoint;

import dev.cove.control.layer.LayerHolder;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.model.CheckpointId;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.node.Node;
import java.time.Clock;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checkpoints as the ledger knows them. Safe for use by many threads.
 *
 * <p>The layer comes first, then the row that points to it: what is cut short leaves a layer that
 * nobody needs, which {@link Layers} collects.
 */
public final class Checkpoints implements LayerHolder {
  private static final int MAX_CHECKPOINTS = 100_000;

  private final CheckpointLedger rows;
  private final Node node;
  private final Layers layers;
  private final Clock clock;
  private final Map<CheckpointId, Checkpoint> all = new ConcurrentHashMap<>();

  public Checkpoints(Ledger ledger, Node node, Layers layers, Clock clock) {
    this.rows = new CheckpointLedger(ledger);
    this.node = node;
    this.layers = layers;
    this.clock = clock;
    rows.all().forEach(checkpoint -> all.put(checkpoint.id(), checkpoint));
    layers.register(this);
  }

  @Override
  public String kind() {
    return "checkpoint";
  }

  @Override
  public Map<String, Set<LayerId>> holds() {
    var holds = new HashMap<String, Set<LayerId>>();
    all.values()
        .forEach(checkpoint -> holds.put(checkpoint.id().value(), Set.copyOf(checkpoint.layers())));
    return holds;
  }

  /** Takes a checkpoint of a sandbox that runs and that nobody else changes meanwhile. */
  public Checkpoint take(
      SandboxId sandbox, SandboxSpec spec, String name, Checkpoint.Reason reason) {
    requireName(name);
    if (all.size() >= MAX_CHECKPOINTS) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "There are too many checkpoints; delete some of them.");
    }
    return layers.using(() -> {
      Node.Sealed sealed = node.seal(sandbox);
      var checkpoint =
          new Checkpoint(
              CheckpointId.random(),
              sandbox,
              name,
              reason,
              Micros.now(clock),
              spec.template(),
              spec.tier(),
              spec.resources(),
              spec.env(),
              sealed.layers(),
              sealed.bytes(),
              sealed.frozen(),
              sealed.copied());
      rows.insert(checkpoint);
      all.put(checkpoint.id(), checkpoint);
      return checkpoint;
    });
  }

  private static void requireName(String name) {
    try {
      Checkpoint.requireName(name);
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }

  /** The oldest first. */
  public List<Checkpoint> list() {
    return all.values().stream()
        .sorted(Comparator.comparing(Checkpoint::createdAt).thenComparing(Checkpoint::id))
        .toList();
  }

  public List<Checkpoint> of(SandboxId sandbox) {
    return list().stream().filter(checkpoint -> checkpoint.sandbox().equals(sandbox)).toList();
  }

  public Checkpoint require(String id) {
    Checkpoint found = CheckpointId.isValid(id) ? all.get(new CheckpointId(id)) : null;
    if (found == null) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no such checkpoint.");
    }
    return found;
  }

  /** Names the content of a checkpoint's newest layer; nothing in the first moments. */
  public Optional<String> digest(Checkpoint checkpoint) {
    return node.digest(checkpoint.layers().getFirst());
  }

  public void delete(String id) {
    forget(require(id));
    layers.collect();
  }

  /** Drops the row, if somebody else has not yet; layers that only it needed stay for now. */
  public void forget(Checkpoint checkpoint) {
    rows.remove(checkpoint.id());
    all.remove(checkpoint.id());
  }
}
