package dev.cove.node.supervisor;

import dev.cove.engine.Cage;
import dev.cove.engine.CageExit;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.Sealing;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestLink;
import dev.cove.guest.GuestLinkException;
import dev.cove.guest.InsideRequests;
import dev.cove.guest.TcpStream;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.StopReason;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.observe.Step;
import dev.cove.model.observe.Tally;
import dev.cove.node.Node.Activity;
import dev.cove.node.Node.Stillness;
import dev.cove.node.network.CageNetwork;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
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
  private final Hearer hearer;
  private final InsideConnections connections;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final CountDownLatch ending = new CountDownLatch(1);

  // Guarded by lock for writing.
  private volatile @Nullable GuestLink link;
  private boolean ended;
  private boolean paused;
  private long pauses;

  /** How many there have been to this agent. */
  private final AtomicLong links = new AtomicLong();

  /** Set before the first process stands still, so that nobody sends to it unseen. */
  private volatile boolean resting;

  private final LongAdder stirred = new LongAdder();

  private SandboxSupervisor(Cage cage, Optional<CageNetwork> network, Hearer hearer) {
    this.cage = cage;
    this.network = network;
    this.hearer = hearer;
    this.connections = new InsideConnections(cage.network(), this::stir);
    network.ifPresent(own -> own.whenVisited(this::stir));
  }

  /**
   * Takes over a cage whose agent must answer now.
   *
   * @param network none for a cage in which nobody's programs run
   * @throws GuestLinkException when it does not answer; the cage is left to the caller
   */
  public static SandboxSupervisor of(Cage cage, Optional<CageNetwork> network, Hearer hearer) {
    var supervisor = new SandboxSupervisor(cage, network, hearer);
    supervisor.connect();
    FailPoint.CAGE_LINKED.reached();
    supervisor.watch();
    return supervisor;
  }

  /** Takes over a cage that stands still; its agent is asked for an answer when it goes on. */
  public static SandboxSupervisor ofPaused(
      Cage cage, Optional<CageNetwork> network, Hearer hearer) {
    var supervisor = new SandboxSupervisor(cage, network, hearer);
    supervisor.pauses = 1;
    supervisor.paused = true;
    supervisor.resting = true;
    supervisor.watch();
    return supervisor;
  }

  private void watch() {
    CompletableFuture<Void> _ =
        cage.exit().thenAcceptAsync(this::cageEnded, Thread::startVirtualThread);
  }

  /** Hears what happens in a sandbox by itself. */
  public interface Hearer {
    /**
     * It ended without {@link #remove} or {@link #halt}.
     *
     * @param filesKept whether its files are whole
     */
    void lost(Cage cage, StopReason reason, boolean filesKept);

    /** Somebody has something for it, and it is paused. Should return when it is not any more. */
    default void wanted() {}

    /** What is asked from inside it. */
    default InsideRequests inside() {
      return InsideRequests.NONE;
    }
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
   * A connection to a port on the sandbox's loopback, opened in its network; by its agent where
   * that cannot be entered.
   *
   * @throws CoveException GUEST_REFUSED when nothing listens there
   */
  public TcpStream reach(int port) {
    try {
      return connections.connect(port);
    } catch (EngineException e) {
      LOG.info("sandbox {}: {}", id(), e.getMessage());
      return guest().connect(port);
    }
  }

  /** Has it go on if it stands still, for somebody who sends it something. */
  private void stir() {
    stirred.increment(); // first: who lets it rest says so first, and looks then
    if (resting) {
      hearer.wanted();
    }
  }

  /** Makes every process stand still. Work that somebody has for the agent waits from now on. */
  public void pause() {
    pauseIf(() -> true);
  }

  /**
   * The same, unless something has happened since.
   *
   * @return false when it has, and the sandbox runs on
   */
  public boolean pauseUnless(Activity seen) {
    return pauseIf(() -> activity().quietSince(seen));
  }

  /**
   * Looks twice: before everything stands still, so that a call that is under way goes on, and
   * afterwards, because what came meanwhile over the network waits at no link.
   */
  private boolean pauseIf(BooleanSupplier quiet) {
    lock.lock();
    try {
      requireThere();
      if (paused) {
        return true;
      }
      GuestLink now = link;
      if (now != null) {
        now.rest(hearer::wanted);
      }
      resting = true;
      try {
        if (quiet.getAsBoolean()) {
          cage.pause();
          paused = true;
          pauses++;
          if (!quiet.getAsBoolean()) {
            cage.resume();
            paused = false;
          }
        }
        return paused;
      } finally {
        resting = paused;
        if (!paused && now != null) {
          now.rouse();
        } else if (paused && connections.owesAnswer()) {
          // On a thread of its own, which waits until the pause is written down.
          Thread.ofVirtual().name("owed-answer").start(hearer::wanted);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** What has happened so far, as far as it can be told from outside. */
  public Activity activity() {
    GuestLink now = link;
    long traffic =
        stirred.sum() + connections.received() + network.map(CageNetwork::traffic).orElse(0L);
    return now == null
        ? new Activity(links.get(), 0, connections.owesAnswer(), traffic, cage.cpu())
        : new Activity(
            links.get(),
            now.calls(),
            now.attended() || connections.owesAnswer(),
            traffic + now.carried(),
            cage.cpu());
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
      resting = false;
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
      end();
      cage.halt(); // also when another has begun with it: its files are in order only then
    }
  }

  /** A frozen process hears no signal. Whether the agent answers does not matter any more. */
  private void resumeQuietly() {
    lock.lock();
    try {
      if (!ended && paused) {
        cage.resume();
        paused = false;
        resting = false;
      }
    } finally {
      lock.unlock();
    }
  }

  private void awaitAlone(Duration grace) {
    long deadline = System.nanoTime() + grace.toNanos();
    try {
      while (!cage.exit().isDone() && !alone() && System.nanoTime() < deadline) {
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
    return cage.alone() ? Optional.of(new Stillness(links.get(), held.calls())) : Optional.empty();
  }

  /** The agent is asked where the host cannot see; one that does not answer has company. */
  private boolean alone() {
    GuestLink now = link;
    if (!cage.hidesProcesses() || now == null) {
      return cage.alone();
    }
    try {
      return now.metrics().processes() <= 1;
    } catch (CoveException e) {
      return false;
    }
  }

  private GuestLink connect() {
    return Step.GREET_AGENT.run(this::greet);
  }

  private GuestLink greet() {
    try {
      GuestLink fresh = GuestLink.open(cage.connect(), HELLO, hearer.inside());
      link = fresh;
      links.incrementAndGet();
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
        Tally.LINKS_LOST.increment();
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
      hearer.lost(cage, reason, kept);
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
      connections.close();
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
