package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.Engine;
import dev.cove.engine.EngineException;
import dev.cove.engine.EngineReport;
import dev.cove.engine.LayerFacts;
import dev.cove.engine.RootFs;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerDescription;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import dev.cove.model.VolumeId;
import dev.cove.model.file.FileSink;
import dev.cove.model.meter.BootClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cages from namespaces, seccomp and cgroups.
 *
 * <p>{@link CageBuilding} is how they come into being, {@link CageRemains} what becomes of them;
 * {@link SealedImages} and {@link VolumeImages} are what they stand on.
 */
public final class ContainerEngine implements Engine {
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
  private final VolumeImages volumeImages;
  private final EngineBackup backup;
  private final boolean diskLimits;
  private final Thread spareImages;
  private final String bootId;
  private final CageRemains remains;
  private final CageBuilding building;

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
    this.volumeImages = new VolumeImages(home.volumes(), spawner);
    this.backup = new EngineBackup(home, sealedImages, volumeImages);
    this.diskLimits =
        settings.diskImages() && spawner.hasLoopDevices() && BaseImages.findMkfs().isPresent();
    Map<SandboxId, ContainerCage> cages = new ConcurrentHashMap<>();
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
    return building.start(plan);
  }

  @Override
  public Cage restart(CagePlan plan) {
    return building.restart(plan);
  }

  @Override
  public Optional<RootFs> halt(SandboxId id) {
    return remains.halt(id);
  }

  @Override
  public void onEnd(EndListener newListener) {
    remains.onEnd(newListener);
  }

  @Override
  public Optional<Cage> adopt(SandboxId id) {
    return building.adopt(id, false);
  }

  @Override
  public Optional<Cage> adoptPaused(SandboxId id) {
    return building.adopt(id, true);
  }

  @Override
  public Set<LayerId> layers() {
    return sealedImages.all();
  }

  @Override
  public LayerFacts layer(LayerId layer) {
    return sealedImages.facts(layer);
  }

  @Override
  public void verifyLayers(RootFs root) {
    sealedImages.verify(root);
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
  public LayerDescription describeLayer(LayerId layer) {
    return sealedImages.describe(layer);
  }

  @Override
  public void exportLayer(LayerId layer, OutputStream out) throws IOException {
    sealedImages.write(layer, out);
  }

  @Override
  public void importLayer(LayerId layer, LayerDescription description, InputStream in)
      throws IOException {
    sealedImages.take(layer, description, in);
  }

  @Override
  public void mergeLayers(LayerId into, RootFs root) {
    requireDiskImages();
    try {
      sealedImages.merge(into, root, baseImages);
    } catch (SpawnerRefusedException e) {
      throw new EngineException("Could not merge layers: " + e.getMessage(), e);
    }
  }

  @Override
  public void backupLayer(LayerId layer, FileSink sink) throws IOException {
    backup.layer(layer, sink);
  }

  @Override
  public void backupDisk(SandboxId id, LayerId disk, RootFs below, FileSink sink)
      throws IOException {
    backup.disk(id, disk, below, sink);
  }

  @Override
  public void backupVolume(VolumeId volume, FileSink sink) throws IOException {
    requireDiskImages();
    backup.volume(volume, sink);
  }

  @Override
  public void removeLayer(LayerId layer) {
    sealedImages.remove(layer);
  }

  @Override
  public void createVolume(VolumeId volume, int sizeMb) {
    requireDiskImages();
    volumeImages.create(volume, sizeMb);
  }

  @Override
  public void copyVolume(VolumeId from, VolumeId to) {
    requireDiskImages();
    volumeImages.copy(from, to);
  }

  private void requireDiskImages() {
    if (!diskLimits) {
      throw new EngineException(
          ErrorCode.UNSUPPORTED,
          "This host cannot make disk images, which volumes and layers are; cove doctor says why");
    }
  }

  @Override
  public Set<VolumeId> volumes() {
    return volumeImages.all();
  }

  @Override
  public long volumeBytes(VolumeId volume) {
    return volumeImages.bytes(volume);
  }

  @Override
  public void removeVolume(VolumeId volume) {
    volumeImages.remove(volume);
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
