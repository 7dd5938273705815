package dev.cove.control.view;

import dev.cove.control.layer.Layers;
import dev.cove.guest.Guest;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.node.Node;
import dev.cove.node.Node.Scene;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the files of layers, each time through a cage in which nothing runs but the agent. Safe for
 * use by many threads.
 *
 * <p>A cage is kept for a while after its last use, since whoever looks at one file looks at
 * another. There are only so many; the one that was used longest ago makes way. No ledger knows
 * them: what a crash leaves of them is removed at the next start, as everything unknown is.
 */
public final class Views implements AutoCloseable {
  public static final int MOST = 12;

  private static final Logger log = LoggerFactory.getLogger(Views.class);
  private static final Duration KEPT = Duration.ofSeconds(30);

  private final Node node;
  private final Layers layers;
  private final Duration kept;
  private final ScheduledExecutorService later =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("views").factory());

  // Guarded by this.
  private final Map<Key, Shown> shown = new HashMap<>();
  private boolean closed;

  private record Key(Scene scene, Base base, List<LayerId> layers) {}

  /** A cage, perhaps still being built. All but the future is guarded by Views. */
  private static final class Shown {
    final Key key;
    final CompletableFuture<SandboxId> cage = new CompletableFuture<>();
    int users;
    long idleSince;
    boolean timed;

    Shown(Key key) {
      this.key = key;
    }
  }

  public Views(Node node, Layers layers) {
    this(node, layers, KEPT);
  }

  /** Keeps cages for another while. */
  public Views(Node node, Layers layers, Duration kept) {
    this.node = node;
    this.layers = layers;
    this.kept = kept;
    layers.beforePruning(this::dropIdle);
  }

  /** The files that a sandbox on these layers would begin with. */
  public View open(Base base, List<LayerId> over) {
    return open(new Key(Scene.WHOLE, base, List.copyOf(over)));
  }

  /** Only what the layers hold themselves; what they delete is not seen. */
  public View openAlone(Base base, List<LayerId> over) {
    return open(new Key(Scene.LAYERS_ALONE, base, List.copyOf(over)));
  }

  /**
   * All of it happens while layers are in use: somebody who waited here for another who still had
   * to ask for that would wait for a collector that waits for him.
   */
  private View open(Key key) {
    return layers.using(() -> {
      Optional<View> found = tryOpen(key);
      // A cage that has ended since it was last used is no reason to refuse.
      return found.or(() -> tryOpen(key)).orElseThrow(Views::ended);
    });
  }

  private static CoveException ended() {
    return new CoveException(
        ErrorCode.UNAVAILABLE, "What shows these files ended by itself; try again.");
  }

  private Optional<View> tryOpen(Key key) {
    Shown entry = enter(key);
    boolean open = false;
    try {
      Guest guest = node.guest(await(entry));
      open = true;
      return Optional.of(new View(guest, () -> leave(entry)));
    } catch (CoveException e) {
      if (!entry.cage.isDone() || entry.cage.isCompletedExceptionally()) {
        throw e;
      }
      log.info("a cage that shows files has ended: {}", e.getMessage());
      drop(entry);
      return Optional.empty();
    } finally {
      if (!open) {
        leave(entry);
      }
    }
  }

  /** The entry for that key, with one more user; whoever makes it builds its cage. */
  private Shown enter(Key key) {
    Shown entry;
    List<Shown> inTheWay = new ArrayList<>();
    synchronized (this) {
      requireOpen();
      Shown known = shown.get(key);
      if (known != null) {
        known.users++;
        return known;
      }
      if (shown.size() >= MOST) {
        inTheWay.add(longestIdle());
      }
      inTheWay.forEach(old -> shown.remove(old.key));
      entry = new Shown(key);
      entry.users = 1;
      shown.put(key, entry);
    }
    inTheWay.forEach(this::end);
    build(entry);
    return entry;
  }

  private void requireOpen() {
    if (closed) {
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.");
    }
  }

  private Shown longestIdle() {
    return shown.values().stream()
        .filter(entry -> entry.users == 0)
        .min(Comparator.comparingLong(entry -> entry.idleSince))
        .orElseThrow(() ->
            new CoveException(
                ErrorCode.NO_ROOM,
                "The files of %d states are being looked at, and no more can be at once; try again"
                        .formatted(MOST)
                    + " later."));
  }

  private void build(Shown entry) {
    Key key = entry.key;
    try {
      entry.cage.complete(node.show(key.scene(), key.base(), key.layers()));
    } catch (CoveException e) {
      forget(entry);
      entry.cage.completeExceptionally(e);
    } finally {
      if (!entry.cage.isDone()) {
        forget(entry);
        entry.cage.completeExceptionally(new IllegalStateException("Files could not be shown"));
      }
    }
  }

  private static SandboxId await(Shown entry) {
    try {
      return entry.cage.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CoveException fault) {
        throw new CoveException(fault.code(), String.valueOf(fault.getMessage()), fault);
      }
      throw new IllegalStateException("Files could not be shown", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
  }

  private void leave(Shown entry) {
    synchronized (this) {
      entry.users--;
      entry.idleSince = System.nanoTime();
      if (entry.users > 0 || entry.timed || entry.cage.isCompletedExceptionally()) {
        return;
      }
      entry.timed = true;
    }
    afterAWhile(() -> dropIfIdle(entry));
  }

  private void afterAWhile(Runnable work) {
    try {
      ScheduledFuture<?> _ = later.schedule(work, kept.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      log.debug("the server is shutting down, which ends every cage that shows files");
    }
  }

  private void dropIfIdle(Shown entry) {
    boolean idle;
    synchronized (this) {
      entry.timed = entry.users == 0;
      if (!entry.timed) {
        return; // whoever leaves last looks at the clock again
      }
      idle = System.nanoTime() - entry.idleSince >= kept.toNanos();
      if (idle && !shown.remove(entry.key, entry)) {
        return;
      }
    }
    if (idle) {
      end(entry);
    } else {
      afterAWhile(() -> dropIfIdle(entry));
    }
  }

  /** Ends the cages through which nobody looks just now. */
  private void dropIdle() {
    List<Shown> idle;
    synchronized (this) {
      idle = shown.values().stream().filter(entry -> entry.users == 0).toList();
      idle.forEach(entry -> shown.remove(entry.key));
    }
    idle.forEach(this::end);
  }

  private void drop(Shown entry) {
    if (forget(entry)) {
      end(entry);
    }
  }

  private synchronized boolean forget(Shown entry) {
    return shown.remove(entry.key, entry);
  }

  private void end(Shown entry) {
    if (!entry.cage.isCompletedExceptionally()) {
      remove(await(entry));
    }
  }

  private void remove(SandboxId cage) {
    try {
      node.remove(cage);
      layers.collectSoon();
    } catch (CoveException e) {
      log.warn("the cage {}, which showed files, could not be removed; it is tried again", cage, e);
      afterAWhile(() -> remove(cage));
    }
  }

  /** Ends all cages, whoever looks at them. */
  @Override
  public void close() {
    List<Shown> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(shown.values());
      shown.clear();
    }
    later.shutdownNow();
    all.forEach(this::end);
  }
}
