package dev.cove.control.checkpoint;

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
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checkpoints as the ledger knows them. Safe for use by many threads.
 *
 * <p>The layer comes first, then the row that points to it; a layer that no row and no sandbox
 * needs is rubbish and collected. Whoever is about to need layers works inside {@link #using}, so
 * that they are not collected under his hands.
 */
public final class Checkpoints {
  private static final Logger log = LoggerFactory.getLogger(Checkpoints.class);
  private static final Duration SOON = Duration.ofMillis(200);
  private static final int MAX_CHECKPOINTS = 100_000;

  private final CheckpointLedger rows;
  private final Node node;
  private final Clock clock;
  private final Map<CheckpointId, Checkpoint> all = new ConcurrentHashMap<>();
  private final AtomicBoolean collecting = new AtomicBoolean();
  private final ReentrantReadWriteLock layers = new ReentrantReadWriteLock();

  public Checkpoints(Ledger ledger, Node node, Clock clock) {
    this.rows = new CheckpointLedger(ledger);
    this.node = node;
    this.clock = clock;
    rows.all().forEach(checkpoint -> all.put(checkpoint.id(), checkpoint));
  }

  /** Does something that needs layers, which stay meanwhile. */
  public <T> T using(Supplier<T> work) {
    layers.readLock().lock();
    try {
      return work.get();
    } finally {
      layers.readLock().unlock();
    }
  }

  /** Takes a checkpoint of a sandbox that runs and that nobody else changes meanwhile. */
  public Checkpoint take(
      SandboxId sandbox, SandboxSpec spec, String name, Checkpoint.Reason reason) {
    requireName(name);
    if (all.size() >= MAX_CHECKPOINTS) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "There are too many checkpoints; delete some of them.");
    }
    return using(() -> {
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

  public void delete(String id) {
    forget(require(id));
    collect();
  }

  /** Drops the row, if somebody else has not yet; layers that only it needed stay for now. */
  public void forget(Checkpoint checkpoint) {
    rows.remove(checkpoint.id());
    all.remove(checkpoint.id());
  }

  /** Collects in a moment, once for all who ask meanwhile. */
  public void collectSoon() {
    if (collecting.compareAndSet(false, true)) {
      Thread.ofVirtual()
          .name("collect-layers")
          .start(() -> {
            try {
              Thread.sleep(SOON);
            } catch (InterruptedException _) {
              Thread.currentThread().interrupt();
            }
            collecting.set(false);
            collect();
          });
    }
  }

  /** Removes the layers that nobody needs. What fails is tried again the next time. */
  public void collect() {
    layers.writeLock().lock();
    try {
      Set<LayerId> needed = new HashSet<>();
      all.values().forEach(checkpoint -> needed.addAll(checkpoint.layers()));
      node.keepLayers(needed);
    } catch (CoveException e) {
      log.warn("layers that nobody needs could not be removed", e);
    } finally {
      layers.writeLock().unlock();
    }
  }
}
