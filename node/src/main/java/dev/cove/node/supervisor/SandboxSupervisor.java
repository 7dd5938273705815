package dev.cove.node.supervisor;

import dev.cove.engine.Cage;
import dev.cove.engine.CageExit;
import dev.cove.engine.RootFs;
import dev.cove.engine.Sealing;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestLink;
import dev.cove.guest.GuestLinkException;
import dev.cove.guest.InsideRequests;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.StopReason;
import dev.cove.model.crash.FailPoint;
import dev.cove.node.Node.Stillness;
import dev.cove.node.network.CageNetwork;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns one running sandbox: its cage, its network and the link to its agent.
 *
 * <p>A link may break while the cage is well, for instance when hostile code forges frames; it is
 * made anew. When that fails for {@link #GIVE_UP}, or the cage has ended, the sandbox is lost: its
 * files are put in order and the listener hears why, once. While it is paused, nothing is expected
 * of its agent.
 */
public final class SandboxSupervisor {
  private static final Logger LOG = LoggerFactory.getLogger(SandboxSupervisor.class);
  private static final Duration HELLO = Duration.ofSeconds(10);
  private static final Duration GIVE_UP = Duration.ofSeconds(5);
  private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);
  private static final long LOOK_MILLIS = 5;

  private final Cage cage;
  private final Optional<CageNetwork> network;
  private final Loss lost;
  private final InsideRequests inside;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final CountDownLatch ending = new CountDownLatch(1);

  // Guarded by lock for writing.
  private volatile @Nullable GuestLink link;
  private boolean ended;
  private boolean paused;
  private long pauses;
  private long links;

  private SandboxSupervisor(
      Cage cage, Optional<CageNetwork> network, Loss lost, InsideRequests inside) {
    this.cage = cage;
    this.network = network;
    this.lost = lost;
    this.inside = inside;
  }

  /**
   * Takes over a cage whose agent must answer now.
   *
   * @param network none for a cage in which nobody's programs run
   * @param lost hears the reason if the sandbox ends without {@link #remove} or {@link #halt}
   * @param inside hears what is asked from inside it
   * @throws GuestLinkException when it does not answer; the cage is left to the caller
   */
  public static SandboxSupervisor of(
      Cage cage, Optional<CageNetwork> network, Loss lost, InsideRequests inside) {
    var supervisor = new SandboxSupervisor(cage, network, lost, inside);
    supervisor.connect();
    supervisor.watch();
    return supervisor;
  }

  /** Takes over a cage that stands still; its agent is asked for an answer when it goes on. */
  public static SandboxSupervisor ofPaused(
      Cage cage, Optional<CageNetwork> network, Loss lost, InsideRequests inside) {
    var supervisor = new SandboxSupervisor(cage, network, lost, inside);
    supervisor.pauses = 1;
    supervisor.paused = true;
    supervisor.watch();
    return supervisor;
  }

  private void watch() {
    CompletableFuture<Void> _ =
        cage.exit().thenAcceptAsync(this::cageEnded, Thread::startVirtualThread);
  }

  /** Hears that a sandbox ended without having been asked to. */
  @FunctionalInterface
  public interface Loss {
    /**
     * @param filesKept whether its files are whole
     */
    void lost(StopReason reason, boolean filesKept);
  }

  public SandboxId id() {
    return cage.id();
  }

  public Cage cage() {
    return cage;
  }

  public Optional<CageNetwork> network() {
    return network;
  }

  /** The link, made anew if the last one is broken. */
  public Guest guest() {
    GuestLink now = link;
    if (now != null && !now.closed().isDone()) {
      return now;
    }
    lock.lock();
    try {
      if (ended) {
        throw new CoveException(ErrorCode.CONFLICT, "Sandbox " + id() + " has ended");
      }
      now = link;
      if (now != null && !now.closed().isDone()) {
        return now;
      }
      if (paused) {
        throw new CoveException(ErrorCode.CONFLICT, "Sandbox " + id() + " is paused");
      }
      return connect();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes every process stand still. Work that somebody has for the agent waits from now on.
   *
   * @param wanted is told when there is some
   */
  public void pause(Runnable wanted) {
    lock.lock();
    try {
      requireThere();
      if (paused) {
        return;
      }
      GuestLink now = link;
      if (now != null) {
        now.rest(wanted);
      }
      try {
        cage.pause();
        paused = true;
        pauses++;
      } finally {
        if (!paused && now != null) {
          now.rouse();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  public boolean isPaused() {
    lock.lock();
    try {
      return paused;
    } finally {
      lock.unlock();
    }
  }

  /** Takes back {@link #pause}. Returns when the agent can be asked. */
  public void resume() {
    lock.lock();
    try {
      requireThere();
      if (!paused) {
        return;
      }
      cage.resume();
      paused = false;
      GuestLink now = link;
      if (now != null && !now.closed().isDone()) {
        now.rouse();
      } else {
        connectOrTryOn();
      }
    } finally {
      lock.unlock();
    }
  }

  private void connectOrTryOn() {
    boolean connected = false;
    try {
      connect();
      connected = true;
    } finally {
      if (!connected) {
        Thread.startVirtualThread(this::linkClosed);
      }
    }
  }

  private void requireThere() {
    if (ended) {
      throw new CoveException(ErrorCode.CONFLICT, "Sandbox " + id() + " has ended");
    }
  }

  /**
   * Ends the processes in order and keeps the files.
   *
   * @param grace how long they may take after they were asked to end
   */
  public void halt(Duration grace) {
    resumeQuietly();
    try {
      cage.terminate();
      FailPoint.STOP_ASKED.reached();
      awaitAlone(grace);
    } finally {
      if (end()) {
        cage.halt();
      }
    }
  }

  /** A frozen process hears no signal. Whether the agent answers does not matter any more. */
  private void resumeQuietly() {
    lock.lock();
    try {
      if (!ended && paused) {
        cage.resume();
        paused = false;
      }
    } finally {
      lock.unlock();
    }
  }

  private void awaitAlone(Duration grace) {
    long deadline = System.nanoTime() + grace.toNanos();
    try {
      while (!cage.exit().isDone() && !cage.alone() && System.nanoTime() < deadline) {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the sandbox on purpose. */
  public void remove() {
    if (end()) {
      cage.destroy();
    }
  }

  /** Lets go of the sandbox and leaves it running. */
  public void release() {
    end();
  }

  /**
   * Makes a layer of what the sandbox has written. Calls to its agent wait meanwhile.
   *
   * @param mayMove whether the sandbox may come to stand on the layer
   */
  public Sealed seal(LayerId layer, boolean mayMove) {
    lock.lock();
    try {
      GuestLink now = link;
      if (now == null || now.closed().isDone() || !now.hold()) {
        return new Sealed(cage.seal(layer, false), paused ? pausedStill() : Optional.empty());
      }
      try {
        Optional<Stillness> still = paused ? pausedStill() : stillnessOf(now);
        return new Sealed(cage.seal(layer, mayMove), still);
      } finally {
        now.letGo();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Puts the sandbox on another root if nothing runs in it, and nothing that did is still
   * remembered by its agent.
   *
   * @return false where it must be built anew instead
   */
  public boolean change(RootFs root) {
    if (restsOrHasEnded() || remembersProcesses()) {
      return false;
    }
    lock.lock();
    try {
      GuestLink now = link;
      if (now == null || !now.hold()) {
        return false;
      }
      try {
        return cage.change(root);
      } finally {
        now.letGo();
      }
    } finally {
      lock.unlock();
    }
  }

  /** An agent that cannot be asked is not relied on either. */
  private boolean remembersProcesses() {
    try {
      return !guest().processes().isEmpty();
    } catch (CoveException e) {
      LOG.info("sandbox {}: {}", id(), e.getMessage());
      return true;
    }
  }

  /** A layer that was made, and how still the sandbox was meanwhile. */
  public record Sealed(Sealing sealing, Optional<Stillness> still) {}

  /** How still the sandbox is, if it is. */
  public Optional<Stillness> stillness() {
    lock.lock();
    try {
      if (paused) {
        return pausedStill();
      }
      GuestLink now = link;
      if (now == null || !now.hold()) {
        return Optional.empty();
      }
      try {
        return stillnessOf(now);
      } finally {
        now.letGo();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whatever runs in it, nothing changes during one pause. */
  private Optional<Stillness> pausedStill() {
    return Optional.of(new Stillness(-pauses, 0));
  }

  /** Nobody can start anything while the link is held, and who does not run starts nothing. */
  private Optional<Stillness> stillnessOf(GuestLink held) {
    return cage.alone() ? Optional.of(new Stillness(links, held.calls())) : Optional.empty();
  }

  private GuestLink connect() {
    try {
      GuestLink fresh = GuestLink.open(cage.connect(), HELLO, inside);
      link = fresh;
      links++;
      CompletableFuture<Void> _ =
          fresh.closed().whenCompleteAsync((_, _) -> linkClosed(), Thread::startVirtualThread);
      return fresh;
    } catch (IOException e) {
      throw new GuestLinkException("The agent of sandbox " + id() + " cannot be reached", e);
    }
  }

  private void linkClosed() {
    long deadline = System.nanoTime() + GIVE_UP.toNanos();
    while (!restsOrHasEnded() && !cage.exit().isDone()) {
      try {
        guest();
        LOG.info("sandbox {}: link restored", id());
        return;
      } catch (CoveException e) {
        if (System.nanoTime() > deadline) {
          LOG.warn("sandbox {}: {}", id(), e.getMessage());
          lose(StopReason.AGENT_ENDED);
          return;
        }
        if (pausedUntilEnding()) {
          return;
        }
      }
    }
  }

  private boolean pausedUntilEnding() {
    try {
      return ending.await(BETWEEN_TRIES.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void cageEnded(CageExit exit) {
    switch (exit) {
      case DESTROYED -> end();
      case OUT_OF_MEMORY -> lose(StopReason.OUT_OF_MEMORY);
      case AGENT_GONE -> lose(StopReason.AGENT_ENDED);
    }
  }

  private void lose(StopReason reason) {
    if (!end()) {
      return;
    }
    boolean kept = false;
    try {
      cage.halt();
      kept = true;
    } catch (CoveException e) {
      LOG.error("sandbox {}: its files could not be put in order", id(), e);
    } finally {
      lost.lost(reason, kept);
    }
  }

  /** True for the one caller that ends it. */
  private boolean end() {
    lock.lock();
    try {
      if (ended) {
        return false;
      }
      ended = true;
      ending.countDown();
      GuestLink last = link;
      if (last != null) {
        last.close();
      }
      network.ifPresent(CageNetwork::close);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The agent of one that is paused cannot answer, and need not. */
  private boolean restsOrHasEnded() {
    lock.lock();
    try {
      return ended || paused;
    } finally {
      lock.unlock();
    }
  }
}
