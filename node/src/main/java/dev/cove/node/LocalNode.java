package dev.cove.node;

import dev.cove.egress.Gateway;
import dev.cove.egress.NetworkUse;
import dev.cove.engine.Cage;
import dev.cove.engine.CageCount;
import dev.cove.engine.CagePlan;
import dev.cove.engine.CageUsage;
import dev.cove.engine.EngineReport;
import dev.cove.engine.RootFs;
import dev.cove.engine.Sealing;
import dev.cove.engine.Store;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestMetrics;
import dev.cove.guest.TcpStream;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.StopReason;
import dev.cove.model.Tier;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.file.FileSink;
import dev.cove.model.observe.Tally;
import dev.cove.node.admission.Admission;
import dev.cove.node.admission.KernelMemory;
import dev.cove.node.network.LocalNetworks;
import dev.cove.node.pool.WarmTiers;
import dev.cove.node.supervisor.SandboxSupervisor;
import dev.cove.node.template.Bases;
import dev.cove.node.workspace.BaseKeeper;
import dev.cove.node.workspace.LocalWorkspaces;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node that this process is. */
public final class LocalNode implements Node {
  private static final Logger LOG = LoggerFactory.getLogger(LocalNode.class);

  /**
   * A sandbox that stands on so many layers gets no deeper by being sealed: its layers are copies
   * from then on. Those that begin with its checkpoints get deeper, until {@link ShallowStacks}
   * merges some of their layers.
   */
  private static final int DEEP = RootFs.MAX_SEALED / 2;

  /** For cages that only show files. */
  private static final Resources SMALL = new Resources(1_000, 64, 64, 32);

  private final NodeConfig config;
  private final Engines engines;
  private final Store store;
  private final Cages cages;
  private final LocalNetworks networks;
  private final NodeSecrets secrets;
  private final Bases bases;
  private final LocalWorkspaces workspaces;
  private final BaseKeeper keeper;
  private final Admission admission;
  private final WarmTiers warm;
  private final LocalVolumes volumes;
  private final ShallowStacks stacks;
  private final Map<SandboxId, Resident> residents = new ConcurrentHashMap<>();

  /** What sandboxes of which nothing runs lie over. */
  private final Map<SandboxId, List<LayerId>> stopped = new ConcurrentHashMap<>();

  /** A sandbox is in one of the two above, also while it goes from one to the other. */
  private final Object moving = new Object();

  private final Map<SandboxId, SandboxSupervisor> shows = new ConcurrentHashMap<>();

  /** Found once: finding it reads the list of all mounts. */
  private volatile @Nullable FileStore fileStore;

  private volatile LostListener listener = (_, _, _) -> {};
  private volatile Consumer<SandboxId> wanted = _ -> {};
  private volatile CheckpointListener asked =
      (_, _) -> {
        throw new CoveException(ErrorCode.UNAVAILABLE, "The server is starting; ask again.");
      };

  public LocalNode(NodeConfig config, Engines engines, Gateway gateway, NodeSecrets secrets) {
    this.config = config;
    this.engines = engines;
    this.store = engines.store();
    this.networks = new LocalNetworks(gateway, this::running);
    this.secrets = secrets;
    this.stacks = new ShallowStacks(store);
    this.bases = new Bases(config.data().resolve("templates"));
    this.workspaces =
        new LocalWorkspaces(
            config.data(), engines.own(), layers -> bases.rootOf(Base.HOST).over(layers));
    this.keeper = new BaseKeeper(workspaces, this::activity);
    this.cages =
        new Cages(
            engines,
            gateway,
            networks,
            bases,
            workspaces,
            new Cages.Hearer() {
              @Override
              public void lost(Cage cage, StopReason reason, boolean filesKept) {
                LocalNode.this.lost(cage, reason, filesKept);
              }

              @Override
              public void wanted(SandboxId id) {
                wanted.accept(id);
              }

              @Override
              public String checkpointAsked(SandboxId id, String name) {
                return asked.checkpointAsked(id, name);
              }
            });
    this.admission = new Admission(config.admission(), new KernelMemory());
    this.volumes =
        new LocalVolumes(engines, admission, () -> bases.rootOf(Base.EMPTY), this::requireSpaceFor);
    this.warm = new WarmTiers(config.warmCages(), engines.reports(), cages::warm);
  }

  /** A sandbox that has a place here; its supervisor comes when it runs. */
  private record Resident(Optional<SandboxSupervisor> supervisor, Resources limits) {}

  @Override
  public void onLost(LostListener newListener) {
    this.listener = newListener;
  }

  @Override
  public void onCheckpointAsked(CheckpointListener newListener) {
    this.asked = newListener;
  }

  @Override
  public void onWanted(Consumer<SandboxId> newListener) {
    this.wanted = newListener;
  }

  @Override
  public Map<SandboxId, Presence> recover(Map<SandboxId, Expected> expected) {
    var found = new ConcurrentHashMap<SandboxId, Presence>();
    var all = new HashSet<>(engines.present());
    all.addAll(expected.keySet());
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (SandboxId id : all) {
        Future<?> _ =
            threads.submit(
                () -> recover(id, expected.get(id)).ifPresent(how -> found.put(id, how)));
      }
    }
    networks.forgetAllBut(found.keySet());
    workspaces.forgetAllBut(found.keySet());
    workspaces.recoverAll();
    if (found.isEmpty()) {
      bases.removeOldVersions();
    }
    return Map.copyOf(found);
  }

  @Override
  public void begin() {
    warm.start();
    keeper.begin();
  }

  private Optional<Presence> recover(SandboxId id, @Nullable Expected expected) {
    if (expected == null) {
      engines.remove(id);
      LOG.info("sandbox {}: remains removed", id);
      return Optional.empty();
    }
    if (expected.presence() != Presence.STOPPED && adopt(id, expected)) {
      return Optional.of(expected.presence());
    }
    try {
      Optional<RootFs> kept = engines.of(expected.spec().tier()).halt(id);
      kept.ifPresent(root -> stopped.put(id, root.sealed()));
      LOG.info("sandbox {}: {}", id, kept.isPresent() ? "its files are kept" : "nothing is left");
      return kept.map(_ -> Presence.STOPPED);
    } catch (CoveException e) {
      LOG.error("sandbox {}: its files could not be put in order", id, e);
      return Optional.empty();
    }
  }

  private boolean adopt(SandboxId id, Expected expected) {
    SandboxSpec spec = expected.spec();
    try {
      Optional<SandboxSupervisor> supervisor =
          expected.presence() == Presence.PAUSED
              ? cages.adoptPaused(id, spec)
              : cages.adopt(id, spec);
      if (supervisor.isEmpty()) {
        return false;
      }
      prepareAgain(supervisor.get(), spec);
      workspaces.note(id, spec.workspaces());
      residents.put(id, new Resident(supervisor, spec.resources()));
      admission.adopt(spec.resources().memoryMb());
      LOG.info("sandbox {}: adopted", id);
      return true;
    } catch (CoveException e) {
      LOG.warn("sandbox {}: cannot be adopted: {}", id, e.getMessage());
      return false;
    }
  }

  /** Our predecessor may have ended before it was done; most often there is nothing to do. */
  private void prepareAgain(SandboxSupervisor supervisor, SandboxSpec spec) {
    try {
      networks.prepare(supervisor, spec.network());
    } catch (CoveException e) {
      LOG.warn("sandbox {}: {}", supervisor.id(), e.getMessage());
    }
  }

  @Override
  public Reservation reserve(SandboxSpec spec, List<LayerId> layers) {
    requirePossible(spec);
    requireWorkspaces(spec);
    admission.requireFits(spec.resources().memoryMb());
    admission.enter(spec.resources().memoryMb());
    if (layers.isEmpty() && isWarmShape(spec)) {
      Optional<SandboxSupervisor> taken = warm.take(spec.tier());
      if (taken.isPresent() && fitted(taken.get(), spec.resources())) {
        SandboxSupervisor supervisor = taken.get();
        FailPoint.WARM_CAGE_TAKEN.reached();
        Tally.WARM_CAGES_TAKEN.increment();
        residents.put(supervisor.id(), new Resident(taken, spec.resources()));
        return new Reservation(supervisor.id(), true);
      }
      Tally.WARM_CAGES_MISSED.increment();
    }
    SandboxId id = SandboxId.random();
    residents.put(id, new Resident(Optional.empty(), spec.resources()));
    return new Reservation(id, false);
  }

  private void requireWorkspaces(SandboxSpec spec) {
    if (!spec.workspaces().isEmpty() && !engines.of(spec.tier()).offersWorkspaces()) {
      throw new CoveException(
          ErrorCode.UNSUPPORTED,
          "Sandboxes of the tier %s cannot have projects of the host; use the tier container."
              .formatted(spec.tier().publicName()));
    }
    workspaces.require(spec.workspaces());
  }

  private void requirePossible(SandboxSpec spec) {
    engines.requireUsable(spec.tier());
    if (!engines.report(spec.tier()).enforcesDiskLimits()
        && spec.resources().diskMb() != Resources.DEFAULT.diskMb()) {
      throw new CoveException(
          ErrorCode.UNSUPPORTED,
          "This host cannot limit disk space, so diskMb cannot be promised; cove doctor says why");
    }
  }

  private static boolean isWarmShape(SandboxSpec spec) {
    return spec.template().base() == Base.HOST
        && spec.volumes().isEmpty()
        && spec.workspaces().isEmpty()
        && spec.resources().diskMb() == Resources.DEFAULT.diskMb();
  }

  private static boolean fitted(SandboxSupervisor supervisor, Resources resources) {
    if (resources.equals(Resources.DEFAULT)) {
      return true; // it was built with them
    }
    try {
      supervisor.cage().limit(resources);
      FailPoint.WARM_CAGE_FITTED.reached();
      return true;
    } catch (CoveException e) {
      LOG.warn("warm cage {} could not be fitted: {}", supervisor.id(), e.getMessage());
      supervisor.remove();
      return false;
    }
  }

  @Override
  public void start(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    Resident resident = residents.get(id);
    if (resident == null) {
      // Its warm cage may have ended since.
      throw new CoveException(
          ErrorCode.UNAVAILABLE, "Sandbox " + id + " was lost before it started; try again");
    }
    if (resident.supervisor().isPresent()) {
      networks.prepare(resident.supervisor().get(), spec.network());
      networks.give(resident.supervisor().get(), spec);
    } else {
      SandboxSupervisor built = cages.build(id, spec, layers);
      var running = new Resident(Optional.of(built), spec.resources());
      if (residents.computeIfPresent(id, (_, _) -> running) == null) {
        built.remove();
        throw new CoveException(ErrorCode.CONFLICT, "Sandbox " + id + " was removed meanwhile");
      }
    }
  }

  @Override
  public void pause(SandboxId id) {
    requireRunning(id).pause();
  }

  @Override
  public Optional<Activity> activity(SandboxId id) {
    return running(id).map(SandboxSupervisor::activity);
  }

  @Override
  public boolean pauseUnless(SandboxId id, Activity seen) {
    return requireRunning(id).pauseUnless(seen);
  }

  @Override
  public void resume(SandboxId id) {
    SandboxSupervisor supervisor = requireRunning(id);
    supervisor.resume();
    networks.prepareIfPostponed(supervisor);
  }

  @Override
  public void stop(SandboxId id, Duration grace) {
    Optional<SandboxSupervisor> supervisor = running(id);
    if (supervisor.isEmpty()) {
      return;
    }
    supervisor.get().halt(grace);
    synchronized (moving) {
      leave(id, true);
    }
    LOG.info("sandbox {}: stopped", id);
  }

  @Override
  public void restart(SandboxId id, SandboxSpec spec) {
    List<LayerId> layers = stopped.get(id);
    if (layers == null) {
      throw new CoveException(ErrorCode.CONFLICT, "Sandbox " + id + " is not stopped");
    }
    admission.requireFits(spec.resources().memoryMb());
    admission.enter(spec.resources().memoryMb());
    boolean built = false;
    try {
      SandboxSupervisor supervisor = cages.again(id, spec, layers);
      synchronized (moving) {
        residents.put(id, new Resident(Optional.of(supervisor), spec.resources()));
        stopped.remove(id);
      }
      built = true;
      LOG.info("sandbox {}: started again", id);
    } finally {
      if (!built) {
        admission.leave(spec.resources().memoryMb());
      }
    }
  }

  @Override
  public Sealed seal(SandboxId id) {
    return seal(id, requireRunning(id).cage().root().sealed().size() < DEEP);
  }

  @Override
  public Sealed copy(SandboxId id) {
    return seal(id, false);
  }

  private Sealed seal(SandboxId id, boolean mayMove) {
    SandboxSupervisor supervisor = requireRunning(id);
    requireRoomForLayer();
    List<LayerId> below = stacks.of(supervisor.cage().root());
    var layer = LayerId.random();
    SandboxSupervisor.Sealed made = supervisor.seal(layer, mayMove);
    Sealing how = made.sealing();
    List<LayerId> layers = new ArrayList<>(below);
    layers.addFirst(layer);
    LOG.info("sandbox {}: layer {} in {} us", id, layer, how.frozen().toNanos() / 1000);
    return new Sealed(List.copyOf(layers), how.bytes(), how.frozen(), !how.moved(), made.still());
  }

  @Override
  public SandboxId show(Scene scene, Base base, List<LayerId> layers) {
    admission.requireMemory();
    RootFs root =
        switch (scene) {
          case WHOLE -> bases.rootOf(base);
          case LAYERS_ALONE -> bases.outlineOf(base);
        };
    SandboxId id = SandboxId.random();
    shows.put(id, cages.alone(new CagePlan(id, root.over(layers), SMALL)));
    return id;
  }

  private void requireRoomForLayer() {
    if (!engines.ownReport().enforcesDiskLimits()) {
      throw new CoveException(
          ErrorCode.UNSUPPORTED,
          "This host cannot give sandboxes disks of their own, which checkpoints are made of;"
              + " cove doctor says why");
    }
    requireSpaceFor(0);
  }

  private void requireSpaceFor(long bytes) {
    long free = diskSpace().freeBytes() - bytes;
    if (free < config.diskReserveBytes()) {
      throw new CoveException(
          ErrorCode.NO_ROOM,
          "The server's disk would have %d MB left, and %d MB must stay free; delete sandboxes or"
                  .formatted(free >> 20, config.diskReserveBytes() >> 20)
              + " checkpoints, of which cove system df shows the sizes");
    }
  }

  @Override
  public void rebuild(
      SandboxId id, SandboxSpec spec, List<LayerId> layers, List<LayerId> layersBefore) {
    SandboxSupervisor supervisor = requireRunning(id);
    RootFs root =
        bases
            .rootOf(spec.template().base())
            .over(layers)
            .with(workspaces.open(id, spec.workspaces(), layers));
    boolean changed = supervisor.change(root);
    if (!changed) {
      supervisor.remove();
      FailPoint.RESTORE_CAGE_REMOVED.reached();
    }
    try {
      if (changed) {
        networks.prepare(supervisor, spec.network());
      } else {
        install(id, spec, layers);
      }
    } catch (CoveException e) {
      supervisor.remove();
      returnTo(id, spec, layersBefore, e);
      throw e;
    }
  }

  @Override
  public void revive(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    install(id, spec, layers);
    admission.adopt(spec.resources().memoryMb());
    LOG.info("sandbox {}: built again", id);
  }

  private void returnTo(
      SandboxId id, SandboxSpec spec, List<LayerId> layersBefore, CoveException why) {
    try {
      install(id, spec, layersBefore);
    } catch (CoveException e) {
      why.addSuppressed(e);
      LOG.error("sandbox {}: could not be started again", id, e);
      synchronized (moving) {
        leave(id, false);
      }
      tellLost(id, StopReason.LOST, false);
    }
  }

  private void install(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    SandboxSupervisor built = cages.build(id, spec, layers);
    residents.put(id, new Resident(Optional.of(built), spec.resources()));
  }

  @Override
  public void verifyLayers(SandboxSpec spec, List<LayerId> layers) {
    store.verifyLayers(bases.rootOf(spec.template().base()).over(layers));
  }

  @Override
  public LayerDescription describeLayer(LayerId layer) {
    return store.describeLayer(layer);
  }

  @Override
  public void exportLayer(LayerId layer, OutputStream out) throws IOException {
    store.exportLayer(layer, out);
  }

  @Override
  public void importLayer(LayerId layer, LayerDescription promised, InputStream in)
      throws IOException {
    requireSpaceFor(0);
    store.importLayer(layer, promised, in);
  }

  @Override
  public void backup(Kept kept, FileSink sink) throws IOException {
    switch (kept) {
      case Kept.Layer one -> store.backupLayer(one.layer(), sink);
      case Kept.Volume one -> {
        requireSpaceFor(store.volumeBytes(one.volume()));
        store.backupVolume(one.volume(), sink);
      }
      case Kept.Disk one -> {
        List<LayerId> below = one.layers().subList(1, one.layers().size());
        RootFs root = bases.rootOf(one.base()).over(below);
        store.backupDisk(one.id(), one.layers().getFirst(), root, sink);
      }
    }
  }

  @Override
  public List<String> partsOf(Base base) {
    return bases.rootOf(base).grafts().stream().map(RootFs.Graft::target).toList();
  }

  @Override
  public Optional<String> digest(LayerId layer) {
    return store.layer(layer).digest();
  }

  @Override
  public NodeNetworks networks() {
    return networks;
  }

  @Override
  public NodeWorkspaces workspaces() {
    return workspaces;
  }

  @Override
  public NodeSecrets secrets() {
    return secrets;
  }

  @Override
  public NodeVolumes volumes() {
    return volumes;
  }

  @Override
  public NodeDisk disk() {
    var layers = new HashMap<LayerId, Long>();
    for (LayerId layer : store.layers()) {
      layers.put(layer, store.layer(layer).bytes());
    }
    var sandboxes = new HashMap<SandboxId, NodeDisk.SandboxDisk>();
    residents.forEach((id, resident) -> {
      List<LayerId> under =
          resident.supervisor().map(s -> s.cage().root().sealed()).orElse(List.of());
      sandboxes.put(id, new NodeDisk.SandboxDisk(engines.diskBytes(id), under));
    });
    stopped.forEach(
        (id, under) -> sandboxes.put(id, new NodeDisk.SandboxDisk(engines.diskBytes(id), under)));
    return new NodeDisk(layers, sandboxes);
  }

  @Override
  public NodeDisk.Space diskSpace() {
    try {
      FileStore store = fileStore;
      if (store == null) {
        store = Files.getFileStore(config.data());
        fileStore = store;
      }
      return new NodeDisk.Space(store.getTotalSpace(), store.getUsableSpace());
    } catch (IOException e) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE, "The server's disk could not be examined: " + e.getMessage(), e);
    }
  }

  @Override
  public long keepLayers(Set<LayerId> recorded) {
    long freed = 0;
    var unused = new HashSet<>(store.layers());
    unused.removeAll(recorded);
    for (Resident resident : residents.values()) {
      resident.supervisor().ifPresent(s -> s.cage().root().sealed().forEach(unused::remove));
    }
    shows.values().forEach(show -> show.cage().root().sealed().forEach(unused::remove));
    stopped.values().forEach(layers -> layers.forEach(unused::remove));
    for (LayerId layer : unused) {
      long bytes = store.layer(layer).bytes();
      store.removeLayer(layer);
      FailPoint.LAYER_REMOVED.reached();
      freed += bytes;
      LOG.info("layer {}: removed", layer);
    }
    return freed;
  }

  @Override
  public Optional<Stillness> stillness(SandboxId id) {
    return requireRunning(id).stillness();
  }

  /**
   * A cage has ended by itself. Its sandbox may have been stopped meanwhile, and even started anew
   * in another: then it is not lost, and its files least of all.
   */
  private void lost(Cage cage, StopReason reason, boolean filesKept) {
    SandboxId id = cage.id();
    boolean known;
    boolean its;
    synchronized (moving) {
      Resident resident = residents.get(id);
      known = resident != null || stopped.containsKey(id);
      its =
          resident != null
              && resident.supervisor().map(now -> now.cage().equals(cage)).orElse(true);
      if (its) {
        leave(id, filesKept);
      }
    }
    if (its) {
      tellLost(id, reason, filesKept);
    } else if (!known) {
      shows.remove(id);
      engines.remove(id); // nobody's: a warm cage, or one that showed files
    }
  }

  /** Gives its place back; holding the monitor of those that move. */
  private void leave(SandboxId id, boolean filesKept) {
    Resident resident = residents.remove(id);
    if (resident == null) {
      return;
    }
    admission.leave(resident.limits().memoryMb());
    if (filesKept) {
      stopped.put(id, resident.supervisor().map(s -> s.cage().root().sealed()).orElse(List.of()));
    }
  }

  private void tellLost(SandboxId id, StopReason reason, boolean filesKept) {
    if (!filesKept) {
      networks.forget(id);
    }
    LOG.info("sandbox {}: lost: {}", id, reason.publicName());
    listener.lost(id, reason, filesKept);
  }

  @Override
  public void remove(SandboxId id) {
    stopped.remove(id);
    Resident resident = residents.remove(id);
    if (resident != null) {
      admission.leave(resident.limits().memoryMb());
      resident.supervisor().ifPresent(SandboxSupervisor::remove);
    }
    SandboxSupervisor show = shows.remove(id);
    if (show != null) {
      show.remove();
    }
    engines.remove(id);
    networks.forget(id);
    workspaces.forget(id);
  }

  @Override
  public Guest guest(SandboxId id) {
    SandboxSupervisor show = shows.get(id);
    return show == null ? requireRunning(id).guest() : show.guest();
  }

  @Override
  public TcpStream connect(SandboxId id, int port) {
    return requireRunning(id).reach(port);
  }

  private SandboxSupervisor requireRunning(SandboxId id) {
    return running(id)
        .orElseThrow(
            () -> new CoveException(ErrorCode.CONFLICT, "Sandbox " + id + " is not running"));
  }

  @Override
  public boolean runs(SandboxId id) {
    return running(id).isPresent();
  }

  private Optional<SandboxSupervisor> running(SandboxId id) {
    return Optional.ofNullable(residents.get(id)).flatMap(Resident::supervisor);
  }

  @Override
  public SandboxMetrics metrics(SandboxId id) {
    var usage = requireRunning(id).cage().usage();
    CageUsage.Disk disk = usage.disk().orElseGet(() -> diskAsSeenInside(id));
    Resident resident = residents.get(id);
    Resources limits = resident == null ? Resources.DEFAULT : resident.limits();
    return new SandboxMetrics(
        usage.cpu(),
        usage.memoryBytes(),
        usage.memoryPeakBytes(),
        disk.usedBytes(),
        disk.totalBytes(),
        disk.inodesUsed(),
        disk.inodesTotal(),
        usage.processes(),
        usage.oomKills(),
        limits);
  }

  /** Second best: a sandbox with no room for another process cannot tell. */
  private CageUsage.Disk diskAsSeenInside(SandboxId id) {
    GuestMetrics inside = guest(id).metrics();
    return new CageUsage.Disk(
        inside.diskUsedBytes(), inside.diskTotalBytes(), inside.inodesUsed(), inside.inodesTotal());
  }

  @Override
  public Reading reading(SandboxId id) {
    return reading(id, running(id).flatMap(supervisor -> supervisor.cage().count()));
  }

  private Reading reading(SandboxId id, Optional<CageCount> count) {
    Optional<NetworkUse> use = networks.use(id);
    return new Reading(
        count.map(CageCount::cpuMicros),
        count.map(known -> OptionalLong.of(known.memoryBytes())).orElse(OptionalLong.empty()),
        OptionalLong.of(engines.diskBytes(id)),
        use.map(NetworkUse::sentBytes),
        use.map(NetworkUse::receivedBytes));
  }

  @Override
  public void onEnded(EndListener newListener) {
    engines.onEnd((id, count) -> newListener.ended(id, reading(id, Optional.of(count))));
  }

  @Override
  public long oomKills(SandboxId id) {
    return requireRunning(id).cage().oomKills();
  }

  @Override
  public NodeStatus status() {
    return new NodeStatus(
        admission.taken(),
        admission.maxSandboxes(),
        warm.count(),
        admission.availableBytes(),
        admission.reserveBytes(),
        engines.ownReport().enforcesDiskLimits());
  }

  @Override
  public Map<Tier, EngineReport> engines() {
    return engines.reports();
  }

  @Override
  public void close() {
    keeper.close();
    warm.close();
    shows.keySet().forEach(this::remove);
    residents.values().forEach(r -> r.supervisor().ifPresent(SandboxSupervisor::release));
    engines.close();
  }
}
