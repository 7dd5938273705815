package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.CageCount;
import dev.cove.engine.CageExit;
import dev.cove.engine.CageUsage;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.Sealing;
import dev.cove.engine.network.NetworkNamespace;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cage whose one process is a virtual machine. */
final class MachineCage implements Cage {
  private static final Logger LOG = LoggerFactory.getLogger(MachineCage.class);
  private static final Duration END = Duration.ofSeconds(30);

  private final SandboxId id;
  private final CageRecord record;
  private final CageRecord.Running running;
  private final RootFs root;
  private final int memoryMb;
  private final Parts parts;
  private final CompletableFuture<Integer> ended;
  private final CompletableFuture<CageExit> exit;
  private volatile boolean destroying;
  private boolean paused;

  /** An engine may have died while it made a layer, and the machine cannot be asked yet. */
  private boolean thawFirst;

  private boolean destroyed;

  /** What a cage works with. */
  record Parts(
      EngineHome home,
      Spawner spawner,
      Cgroups cgroups,
      SealedImages images,
      CageRemains remains,
      Machines machines) {}

  MachineCage(
      SandboxId id,
      CageRecord record,
      CageRecord.Running running,
      RootFs root,
      int memoryMb,
      CompletableFuture<Integer> ended,
      Parts parts) {
    this.id = id;
    this.record = record;
    this.running = running;
    this.root = root;
    this.memoryMb = memoryMb;
    this.parts = parts;
    this.ended = ended;
    this.exit =
        ended.thenApplyAsync(
            _ -> destroying ? CageExit.DESTROYED : CageExit.AGENT_GONE, Thread::startVirtualThread);
  }

  /** An earlier engine paused it. */
  synchronized void notePaused() {
    paused = true;
    thawFirst = true;
  }

  @Override
  public SandboxId id() {
    return id;
  }

  @Override
  public ByteChannel connect() throws IOException {
    return parts.machines().connect(parts.home().socket(id));
  }

  @Override
  public NetworkNamespace network() {
    ProcessKey machine = running.process();
    return new NetworkNamespace(Path.of("/proc/%d/ns/net".formatted(machine.pid())), machine::runs);
  }

  @Override
  public synchronized void limit(Resources resources) {
    requirePresent();
    if (resources.memoryMb() != memoryMb) {
      throw new EngineException(
          ErrorCode.UNSUPPORTED,
          "A machine keeps the memory that it was made with, %d MB".formatted(memoryMb));
    }
    parts.cgroups().limit(id, MachineEngine.around(resources, parts.machines()));
  }

  @Override
  public synchronized void pause() {
    requirePresent();
    try {
      parts.cgroups().freeze(id);
      paused = true;
    } finally {
      if (!paused) {
        parts.cgroups().thaw(id); // all of it or none
      }
    }
  }

  @Override
  public synchronized void resume() {
    requirePresent();
    parts.cgroups().thaw(id);
    paused = false;
    if (thawFirst) {
      parts.machines().thaw(control());
      thawFirst = false;
    }
  }

  @Override
  public void terminate() {
    parts.machines().terminate(control());
  }

  private Path control() {
    return parts.home().control(id);
  }

  private void requirePresent() {
    if (destroyed) {
      throw new EngineException("Sandbox %s is gone".formatted(id));
    }
  }

  /** The machine's processes are its own affair; the host sees one. */
  @Override
  public CageUsage usage() {
    var counted = parts.cgroups().usage(id);
    return new CageUsage(
        counted.cpu(), counted.memoryBytes(), counted.memoryPeakBytes(), Optional.empty(), 1, 0);
  }

  /** Memory runs out inside, where the host does not count. */
  @Override
  public long oomKills() {
    return 0;
  }

  @Override
  public Duration cpu() {
    return parts.cgroups().cpu(id);
  }

  @Override
  public Optional<CageCount> count() {
    return parts.cgroups().count(id, record);
  }

  /** A copy of the disk, at a moment at which nobody inside can write to it. */
  @Override
  public synchronized Sealing seal(LayerId layer, boolean agentIdle) {
    requirePresent();
    boolean wasPaused = paused;
    if (wasPaused) {
      resume();
    }
    try {
      return copied(layer);
    } finally {
      if (wasPaused) {
        pause();
      }
    }
  }

  private Sealing copied(LayerId layer) {
    SealedImages images = parts.images();
    images.verify(root);
    boolean made = false;
    try {
      images.prepareOfMachine(layer, root);
      FailPoint.SEAL_PREPARED.reached();
      long start = System.nanoTime();
      parts.machines().freeze(control());
      try {
        FailPoint.SEAL_FROZEN.reached();
        SparseFile.copy(parts.home().image(id), images.file(layer));
        FailPoint.SEAL_COPIED.reached();
      } finally {
        parts.machines().thaw(control());
      }
      var frozen = Duration.ofNanos(System.nanoTime() - start);
      images.sealed(layer);
      FailPoint.SEAL_FORCED.reached();
      made = true;
      return new Sealing(false, frozen, images.facts(layer).bytes());
    } catch (IOException e) {
      throw new EngineException(
          "Could not make layer %s of sandbox %s: %s".formatted(layer, id, e), e);
    } finally {
      if (!made) {
        images.remove(layer);
      }
    }
  }

  /** A machine is made for its root. */
  @Override
  public boolean change(RootFs newRoot) {
    return false;
  }

  /** What runs inside is not seen from here. */
  @Override
  public boolean alone() {
    return false;
  }

  @Override
  public boolean hidesProcesses() {
    return true;
  }

  @Override
  public RootFs root() {
    return root;
  }

  @Override
  public CompletableFuture<CageExit> exit() {
    return exit.copy();
  }

  @Override
  public synchronized void destroy() {
    if (destroyed) {
      return;
    }
    parts.remains().disown(id);
    end();
    FailPoint.CAGE_ENDED.reached();
    parts.remains().remove(id, record);
    parts.spawner().forget(running.process());
    destroyed = true;
  }

  @Override
  public synchronized void halt() {
    if (destroyed) {
      return;
    }
    flush();
    end();
    FailPoint.HALT_ENDED.reached();
    parts.remains().settle(id, record);
    parts.spawner().forget(running.process());
    destroyed = true;
  }

  /** The disk has a journal: where the machine does not answer, only the newest writes are lost. */
  private void flush() {
    parts.cgroups().thaw(id);
    if (ended.isDone()) {
      return;
    }
    try {
      parts.machines().freeze(control());
    } catch (EngineException e) {
      LOG.warn("sandbox {}: ended without a last flush: {}", id, e.getMessage());
    }
  }

  private void end() {
    destroying = true;
    parts.cgroups().thaw(id); // a frozen process does not die
    parts.spawner().kill(new SpawnerRequest.Kill(id, running));
    Spawner.awaitExit(id, ended, END);
  }
}
