package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.Engine;
import dev.cove.engine.EngineException;
import dev.cove.engine.EngineReport;
import dev.cove.engine.RootFs;
import dev.cove.engine.Store;
import dev.cove.engine.Writings;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Boundary;
import dev.cove.model.boundary.ForkCost;
import dev.cove.model.boundary.KernelOf;
import dev.cove.model.boundary.PausedMemory;
import dev.cove.model.meter.BootClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cages from namespaces, seccomp and cgroups.
 *
 * <p>{@link CageBuilding} is how they come into being, {@link CageRemains} what becomes of them;
 * {@link ImageStore} is what they stand on.
 */
public final class ContainerEngine implements Engine {
  /** What sandboxes of the container tier have, on any host. */
  public static final Boundary BOUNDARY =
      new Boundary(
          "namespaces, seccomp and cgroups",
          KernelOf.SHARED,
          false,
          PausedMemory.RAM,
          false,
          ForkCost.SHARED_FILES,
          false,
          List.of(),
          List.of(
              "A bug in a system call of the host's kernel that remains allowed",
              "Side channels through hardware that sandboxes share",
              "Memory in checkpoints: they hold files, and programs of a fork begin anew"));

  private static final Logger LOG = LoggerFactory.getLogger(ContainerEngine.class);
  private static final Duration SPARE_IMAGES_PATIENCE = Duration.ofSeconds(10);

  private final EngineHome home;
  private final SandboxFolders folders;
  private final HomeLock lock;
  private final EngineSettings settings;
  private final CgroupLayout layout;
  private final Cgroups cgroups;
  private final IdRanges ids;
  private final Spawner spawner;
  private final BaseImages baseImages;
  private final SealedImages sealedImages;
  private final Store store;
  private final boolean diskLimits;
  private final Thread spareImages;
  private final String bootId;
  private final CageRemains remains;
  private final CageBuilding building;
  private final CageBuilding.Parts parts;
  private final BootClock clock;

  private ContainerEngine(EngineHome home, EngineSettings settings, HomeLock lock) {
    this.home = home;
    this.folders = new SandboxFolders(home);
    this.lock = lock;
    this.settings = settings;
    var clock = BootClock.ofHost();
    this.bootId = clock.now().boot();
    this.layout = CgroupLayout.read();
    this.cgroups = layout.cgroups(GroupName.of(home));
    cgroups.open();
    this.ids = IdRanges.of(IdRanges.CLAIMS, home.data());
    takeStock();
    this.baseImages = new BaseImages(home.baseImages());
    UnfinishedFiles.removeFrom(home.binaries());
    this.spawner = new Spawner(spawnerCommand());
    this.sealedImages = new SealedImages(home.sealedImages(), spawner);
    var sealer = new Sealer(home, spawner, cgroups, sealedImages);
    var keptFiles = new KeptFiles(home, sealer);
    var volumeImages = new VolumeImages(home.volumes(), spawner);
    this.diskLimits =
        settings.diskImages() && spawner.hasLoopDevices() && BaseImages.findMkfs().isPresent();
    this.store =
        new ImageStore(
            sealedImages,
            volumeImages,
            baseImages,
            new EngineBackup(home, sealedImages, volumeImages),
            diskLimits);
    Map<SandboxId, Cage> cages = new ConcurrentHashMap<>();
    this.remains = new CageRemains(home, cgroups, ids, keptFiles, bootId, cages);
    var parts =
        new CageBuilding.Parts(
            home,
            cgroups,
            ids,
            spawner,
            baseImages,
            sealedImages,
            sealer,
            keptFiles,
            volumeImages,
            diskLimits);
    this.building = new CageBuilding(parts, remains, clock, cages);
    this.parts = parts;
    this.clock = clock;
    this.spareImages =
        Thread.ofVirtual().name("cove-spare-images").start(() -> keepSpareImages(diskLimits));
  }

  private void keepSpareImages(boolean possible) {
    if (!possible || settings.spareImages() == 0) {
      return;
    }
    try {
      String image = baseImages.require(Resources.DEFAULT.diskMb());
      spawner.keepSpares(new SpawnerRequest.KeepSpares(image, settings.spareImages()));
    } catch (EngineException | SpawnerRefusedException e) {
      LOG.warn("No spare disk images: starts take some milliseconds longer", e);
    }
  }

  /** An engine with the usual settings and the agent of this build. */
  public static ContainerEngine open(EngineHome home) {
    return open(home, EngineSettings.DEFAULT);
  }

  public static ContainerEngine open(EngineHome home, EngineSettings settings) {
    SandboxFolders.prepare(home);
    var lock = HomeLock.take(home.lock());
    try {
      return new ContainerEngine(home, settings, lock);
    } catch (EngineException e) {
      lock.close();
      throw e;
    }
  }

  /** An engine whose cages are virtual machines, on the same home. It is closed before this one. */
  public MachineEngine machines(Machines machines) {
    return new MachineEngine(parts, clock, machines);
  }

  /** What all sandboxes may have together, from now on: the kernel kills among them beyond it. */
  public void limitMemory(long bytes) {
    cgroups.limitAll(bytes);
  }

  /** What {@link #report} would say, as far as it can be told without opening an engine. */
  public static EngineReport examine() {
    return examine(Path.of("/"));
  }

  /**
   * @param root with /proc, /sys and /dev of the machine to judge
   */
  public static EngineReport examine(Path root) {
    var files = new KernelFiles(root);
    return new HostFindings(
            CgroupLayout.read(files),
            true,
            files.has("/dev/loop-control"),
            EngineSettings.DEFAULT,
            files)
        .report();
  }

  /** Of what an earlier engine has left: ids in use stay so, files without their names go. */
  private void takeStock() {
    Set<SandboxId> all = folders.all();
    var records = all.stream().flatMap(id -> CageRecord.find(home.sandbox(id)).stream()).toList();
    // All of them were understood: from here on something may be changed.
    records.stream()
        .filter(record -> record.bootId().equals(bootId))
        .forEach(record -> ids.keep(record.firstId()));
    all.forEach(id -> UnfinishedFiles.removeFrom(home.sandbox(id)));
  }

  ProcessBuilder spawnerCommand() {
    return SpawnerCommand.of(home, settings, cgroups);
  }

  @Override
  public Tier tier() {
    return Tier.CONTAINER;
  }

  /**
   * Another engine whose cages are these, but for what brings their agent up. It needs no closing.
   *
   * @param report says what its tier is, given what this engine says of itself
   */
  public Engine launching(Tier tier, Launcher launcher, UnaryOperator<EngineReport> report) {
    return new LaunchingEngine(this, building, tier, launcher, report);
  }

  /** What cages stand on. It lives as long as this engine, whose spawner mounts it. */
  public Store store() {
    return store;
  }

  /** False where a sandbox's disk use is not held to its limit; {@link #report} says why. */
  public boolean enforcesDiskLimits() {
    return diskLimits;
  }

  @Override
  public EngineReport report() {
    return new HostFindings(layout, spawner.favorsMoves(), spawner.hasLoopDevices(), settings)
        .report();
  }

  @Override
  public Cage start(CagePlan plan) {
    return building.start(plan, Optional.empty());
  }

  @Override
  public Cage restart(CagePlan plan) {
    return building.restart(plan, Optional.empty());
  }

  @Override
  public Optional<RootFs> halt(SandboxId id) {
    return remains.halt(id);
  }

  @Override
  public boolean offersWorkspaces() {
    return true;
  }

  @Override
  public Writings writings(SandboxId id) {
    return building.writings(id);
  }

  @Override
  public Writings writings(RootFs root) {
    sealedImages.require(root);
    return ReachedLayers.by(spawner, Optional.empty(), -1, root.sealed());
  }

  @Override
  public void onEnd(EndListener newListener) {
    remains.onEnd(newListener);
  }

  @Override
  public Optional<Cage> adopt(SandboxId id) {
    return building.adopt(id, false, Optional.empty());
  }

  @Override
  public Optional<Cage> adoptPaused(SandboxId id) {
    return building.adopt(id, true, Optional.empty());
  }

  @Override
  public long diskBytes(SandboxId id) {
    try {
      return SparseFile.bytesOnDisk(home.sandbox(id).resolve("image"));
    } catch (IOException e) {
      return 0; // it is a plain folder, or went meanwhile
    }
  }

  @Override
  public Set<SandboxId> present() {
    var present = new HashSet<>(cgroups.present());
    present.addAll(folders.all());
    present.addAll(folders.withSockets());
    return Set.copyOf(present);
  }

  @Override
  public void remove(SandboxId id) {
    if (MachineEngine.isMachine(home, id)) {
      return;
    }
    remains.remove(id);
  }

  @Override
  public void close() {
    awaitSpareImages();
    sealedImages.close();
    spawner.close();
    if (present().isEmpty()) {
      cgroups.close();
      ids.releaseBlocks();
    }
    lock.close();
  }

  /** The first image of a home takes mkfs a moment, and nothing may write here after the end. */
  private void awaitSpareImages() {
    try {
      spareImages.join(SPARE_IMAGES_PATIENCE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** For tests that end the spawner. */
  long spawnerPid() {
    return spawner.pid();
  }
}
