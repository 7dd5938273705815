package dev.cove.control.layer;

import dev.cove.model.CoveException;
import dev.cove.model.LayerId;
import dev.cove.node.Node;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The layers of a node, as far as somebody needs them. Safe for use by many threads.
 *
 * <p>A layer comes first, then the row of its holder that points to it; a layer that no holder and
 * no sandbox needs is rubbish and collected. Whoever is about to need layers works inside {@link
 * #using}, so that they are not collected under his hands.
 */
public final class Layers {
  private static final Logger log = LoggerFactory.getLogger(Layers.class);
  private static final Duration SOON = Duration.ofMillis(200);

  private final Node node;
  private final List<LayerHolder> holders = new CopyOnWriteArrayList<>();
  private final List<Runnable> savings = new CopyOnWriteArrayList<>();
  private final Set<Pin> pins = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean collecting = new AtomicBoolean();
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private volatile boolean complete;

  public Layers(Node node) {
    this.node = node;
  }

  /** Adds somebody who needs layers; before {@link #begin}, lest his be taken for rubbish. */
  public void register(LayerHolder holder) {
    if (complete) {
      throw new IllegalStateException(
          "Layers are collected already, without regard to each " + holder.kind());
    }
    holders.add(holder);
  }

  /** Adds what is done before each prune: letting go of what can be made again. */
  public void beforePruning(Runnable saving) {
    savings.add(saving);
  }

  /** Says that everybody who needs layers is registered, and collects for the first time. */
  public void begin() {
    complete = true;
    collect();
  }

  /** Does something that needs layers, which stay meanwhile. */
  public <T> T using(Supplier<T> work) {
    lock.readLock().lock();
    try {
      return work.get();
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Holds layers that no row points to, or not yet, until it is closed. */
  public final class Pin implements AutoCloseable {
    private final Set<LayerId> pinned = ConcurrentHashMap.newKeySet();

    private Pin() {}

    /** Holds these as well; inside {@link #using}, where they could go otherwise. */
    public void add(Collection<LayerId> more) {
      pinned.addAll(more);
    }

    @Override
    public void close() {
      pins.remove(this);
      collectSoon();
    }
  }

  /** For work that takes too long to be done inside {@link #using}: collectors need not wait. */
  public Pin pin() {
    var pin = new Pin();
    pins.add(pin);
    return pin;
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

  /**
   * Removes the layers that nobody needs. What fails is tried again the next time. Does nothing
   * before {@link #begin}.
   */
  public void collect() {
    if (!complete) {
      return;
    }
    try {
      removeUnneeded();
    } catch (CoveException e) {
      log.warn("layers that nobody needs could not be removed", e);
    }
  }

  /**
   * Lets go of what can be made again, and then removes the layers that nobody needs.
   *
   * @return how much of the disk this gave back
   */
  public long prune() {
    if (!complete) {
      throw new IllegalStateException("It is not known yet who needs layers");
    }
    savings.forEach(Runnable::run);
    return removeUnneeded();
  }

  private long removeUnneeded() {
    lock.writeLock().lock();
    try {
      return node.keepLayers(held());
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Who takes how much of the disk. */
  public DiskUse use() {
    return using(() -> DiskUse.of(node.disk(), node.diskSpace(), holders, pinned()));
  }

  private Set<LayerId> held() {
    Set<LayerId> held = pinned();
    for (LayerHolder holder : holders) {
      holder.holds().values().forEach(held::addAll);
    }
    return held;
  }

  private Set<LayerId> pinned() {
    Set<LayerId> pinned = new HashSet<>();
    pins.forEach(pin -> pinned.addAll(pin.pinned));
    return pinned;
  }
}
