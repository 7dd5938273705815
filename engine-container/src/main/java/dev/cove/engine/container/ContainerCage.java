package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.CageCount;
import dev.cove.engine.CageExit;
import dev.cove.engine.CageUsage;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.Sealing;
import dev.cove.engine.Writings;
import dev.cove.engine.network.NetworkNamespace;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cage that runs, or ran a moment ago. */
final class ContainerCage implements Cage {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerCage.class);
  private static final int LOG_TAIL = 2_000;
  private static final int KILLED = 128 + 9;
  private static final Duration EXIT_DEADLINE = Duration.ofSeconds(30);

  /** Takes away what is left of a cage whose processes are gone. */
  interface Remains {
    /** What is there from now on is of no use to anybody. */
    void disown(SandboxId id);

    void remove(SandboxId id, CageRecord record);
  }

  /** Puts in order what is left of a cage that somebody may want to go on with. */
  interface Halted {
    void settle(SandboxId id, CageRecord record);
  }

  private final SandboxId id;
  private final CageRecord record;
  private final Sealer sealer;
  private final Standing standing;
  private volatile CageRecord.Running running;
  private final Path socket;
  private final Spawner spawner;
  private final Cgroups cgroups;
  private final Remains remains;
  private final CompletableFuture<Integer> agentExit;
  private final CompletableFuture<CageExit> exit;
  private final Halted halted;
  private final Path log;
  private volatile boolean destroying;
  private boolean paused;
  private boolean destroyed;

  ContainerCage(
      SandboxId id,
      CageRecord record,
      CageRecord.Running running,
      CompletableFuture<Integer> agentExit,
      Parts parts) {
    this.id = id;
    this.record = record;
    this.running = running;
    this.standing = parts.standing();
    this.sealer = parts.sealer();
    this.socket = parts.home().socket(id);
    this.spawner = parts.spawner();
    this.cgroups = parts.cgroups();
    this.remains = parts.remains();
    this.halted = parts.halted();
    this.agentExit = agentExit;
    this.exit = agentExit.thenApplyAsync(this::exitBy, Thread::startVirtualThread);
    this.log = parts.home().sandbox(id).resolve(SandboxFolders.LOG);
  }

  /** What a cage works with. */
  record Parts(
      EngineHome home,
      Spawner spawner,
      Cgroups cgroups,
      Sealer sealer,
      Standing standing,
      Remains remains,
      Halted halted) {}

  /** How the cage would be built again, which changes when its writable layer is sealed. */
  static final class Standing {
    private final String baseImage;
    private final boolean hasVolumes;
    private final Optional<Launcher> launcher;
    private volatile RootFs root;

    Standing(RootFs root, String baseImage, boolean hasVolumes, Optional<Launcher> launcher) {
      this.hasVolumes = hasVolumes;
      this.launcher = launcher;
      this.root = root;
      this.baseImage = baseImage;
    }
  }

  @Override
  public SandboxId id() {
    return id;
  }

  @Override
  public ByteChannel connect() throws IOException {
    var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(socket));
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public NetworkNamespace network() {
    ProcessKey agent = running.process();
    return new NetworkNamespace(Path.of("/proc/%d/ns/net".formatted(agent.pid())), agent::runs);
  }

  @Override
  public synchronized void limit(Resources resources) {
    requirePresent();
    cgroups.limit(
        id, standing.launcher.map(program -> program.limits(resources)).orElse(resources));
  }

  @Override
  public synchronized void pause() {
    requirePresent();
    try {
      cgroups.freeze(id);
      paused = true;
    } finally {
      if (!paused) {
        cgroups.thaw(id); // all of it or none
      }
    }
  }

  /** An earlier engine paused it. */
  synchronized void notePaused() {
    paused = true;
  }

  @Override
  public synchronized void resume() {
    requirePresent();
    cgroups.thaw(id);
    paused = false;
  }

  @Override
  public void terminate() {
    ProcessKey first = running.process();
    if (standing.launcher.isEmpty()) {
      cgroups.terminate(id, first.pid());
      return;
    }
    // Passed on to the agent, and by it to the commands. Looked at again: pids come back.
    Optional<ProcessHandle> porter = ProcessHandle.of(first.pid());
    if (first.runs()) {
      porter.ifPresent(ProcessHandle::destroy);
    }
  }

  private void requirePresent() {
    if (destroyed) {
      throw new EngineException("Sandbox %s is gone".formatted(id));
    }
  }

  @Override
  public CageUsage usage() {
    var counted = cgroups.usage(id);
    return new CageUsage(
        counted.cpu(),
        counted.memoryBytes(),
        counted.memoryPeakBytes(),
        measureDisk(),
        counted.processes(),
        counted.oomKills());
  }

  private Optional<CageUsage.Disk> measureDisk() {
    if (running.loopDevice() < 0 || agentExit.isDone()) {
      return Optional.empty();
    }
    try {
      long[] found = spawner.measure(new SpawnerRequest.Measure(id, running.loopDevice()));
      return Optional.of(new CageUsage.Disk(found[0], found[1], found[2], found[3]));
    } catch (SpawnerRefusedException e) {
      return Optional.empty(); // it ended a moment ago, and its image with it
    }
  }

  @Override
  public long oomKills() {
    return cgroups.oomKills(id);
  }

  @Override
  public Duration cpu() {
    return cgroups.cpu(id);
  }

  @Override
  public Optional<CageCount> count() {
    return cgroups.count(id, record);
  }

  @Override
  public boolean hidesProcesses() {
    return standing.launcher.isPresent();
  }

  @Override
  public boolean alone() {
    return cgroups.processes(id).equals(Set.of((long) running.process().pid()));
  }

  @Override
  public RootFs root() {
    return standing.root;
  }

  @Override
  public synchronized Sealing seal(LayerId layer, boolean agentIdle) {
    requirePresent();
    if (running.loopDevice() < 0) {
      throw new EngineException(
          "Sandbox %s has no disk image of its own, which a layer is made of".formatted(id));
    }
    var now =
        new SpawnerRequest.Start(
            id,
            record.firstId(),
            0,
            standing.baseImage,
            standing.root,
            List.of(),
            false,
            List.of());
    // A root that is changed would leave the volumes behind, so its layers are always copies; and
    // what a runtime has made of a root cannot be changed from outside.
    boolean mayMove = agentIdle && !standing.hasVolumes && standing.launcher.isEmpty();
    Sealer.Outcome outcome = sealer.seal(now, running, layer, mayMove, paused);
    running = outcome.running();
    standing.root = outcome.root();
    sealer.force(layer, outcome.sealing());
    return outcome.sealing();
  }

  @Override
  public synchronized boolean change(RootFs root) {
    requirePresent();
    if (running.loopDevice() < 0
        || standing.hasVolumes
        || paused
        || standing.launcher.isPresent()) {
      return false;
    }
    var next =
        new SpawnerRequest.Start(
            id, record.firstId(), 0, standing.baseImage, root, List.of(), false, List.of());
    Optional<CageRecord.Running> now = sealer.change(next, running);
    if (now.isEmpty()) {
      return false;
    }
    running = now.get();
    standing.root = root;
    return true;
  }

  /** Waits for a layer that is just being made. */
  synchronized Writings writings() {
    requirePresent();
    return ReachedLayers.by(spawner, Optional.of(id), running.loopDevice(), standing.root.sealed());
  }

  @Override
  public CompletableFuture<CageExit> exit() {
    return exit.copy();
  }

  private CageExit exitBy(int status) {
    if (destroying) {
      return CageExit.DESTROYED;
    }
    if (standing.launcher.isPresent() && status != KILLED) {
      LOG.warn("sandbox {}: its runtime ended with {}: {}", id, status, saidByRuntime());
    }
    boolean killed = status == KILLED || status == Spawner.STATUS_UNKNOWN;
    return killed && cgroups.oomKills(id) > 0 ? CageExit.OUT_OF_MEMORY : CageExit.AGENT_GONE;
  }

  private String saidByRuntime() {
    try {
      String all = Files.readString(log, StandardCharsets.ISO_8859_1);
      return all.substring(Math.max(0, all.length() - LOG_TAIL)).strip();
    } catch (IOException e) {
      return "nothing";
    }
  }

  @Override
  public synchronized void destroy() {
    if (destroyed) {
      return;
    }
    remains.disown(id);
    end(running);
    FailPoint.CAGE_ENDED.reached();
    remains.remove(id, record);
    spawner.forget(running.process());
    destroyed = true;
  }

  @Override
  public synchronized void halt() {
    if (destroyed) {
      return;
    }
    end(new CageRecord.Running(running.process(), -1)); // no device: nothing of it is dropped
    FailPoint.HALT_ENDED.reached();
    halted.settle(id, record);
    spawner.forget(running.process());
    destroyed = true;
  }

  private void end(CageRecord.Running what) {
    destroying = true;
    cgroups.thaw(id); // a frozen process does not die
    spawner.kill(new SpawnerRequest.Kill(id, what));
    Spawner.awaitExit(id, agentExit, EXIT_DEADLINE);
  }
}
