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
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cages from namespaces, seccomp and cgroups.
 *
 * <p>A start goes through: {@link IdRanges} for ids, {@link CageRecord} in the sandbox's folder,
 * {@link Cgroups} for limits, {@link BaseImages} for a disk, and {@link Spawner} for the cage.
 */
public final class ContainerEngine implements Engine {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerEngine.class);

  /** A file in the folder of a cage that has volumes. */
  private static final String VOLUMES = "volumes";

  private static final int SHM_DIVISOR = 2;
  private static final long MAX_SHM_BYTES = 1L << 30;

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
  private final Sealer sealer;
  private final KeptFiles keptFiles;
  private final VolumeImages volumeImages;
  private final boolean diskLimits;
  private final String bootId;
  private final Map<SandboxId, ContainerCage> cages = new ConcurrentHashMap<>();

  private ContainerEngine(EngineHome home, EngineSettings settings, HomeLock lock) {
    this.home = home;
    this.folders = new SandboxFolders(home);
    this.lock = lock;
    this.settings = settings;
    this.layout = CgroupLayout.read();
    this.cgroups = layout.cgroups(GroupName.of(home));
    this.bootId = CageRecord.currentBootId();
    cgroups.open();
    this.ids = IdRanges.of(IdRanges.CLAIMS, home.data());
    keepIdsInUse();
    this.baseImages = new BaseImages(home.baseImages());
    UnfinishedFiles.removeFrom(home.binaries());
    this.spawner = new Spawner(spawnerCommand());
    this.sealedImages = new SealedImages(home.sealedImages(), spawner);
    this.sealer = new Sealer(home, spawner, cgroups, sealedImages);
    this.keptFiles = new KeptFiles(home, sealer);
    this.volumeImages = new VolumeImages(home.volumes(), spawner);
    this.diskLimits =
        settings.diskImages() && spawner.hasLoopDevices() && BaseImages.findMkfs().isPresent();
    if (diskLimits && settings.spareImages() > 0) {
      Thread.ofVirtual().name("cove-spare-images").start(this::keepSpareImages);
    }
  }

  private void keepSpareImages() {
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

  private void keepIdsInUse() {
    for (SandboxId id : folders.all()) {
      CageRecord.find(home.sandbox(id))
          .filter(record -> record.bootId().equals(bootId))
          .ifPresent(record -> ids.keep(record.firstId()));
    }
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
    requireWithinBounds(plan);
    var record = new CageRecord(bootId, ids.take());
    try {
      folders.make(plan.id());
    } catch (EngineException e) {
      ids.release(record.firstId());
      throw e;
    }
    try {
      return build(plan, record, false);
    } catch (IOException | SpawnerRefusedException e) {
      removeAfterFailure(plan.id(), record, e);
      throw couldNotStart(plan.id(), e);
    } catch (EngineException e) {
      removeAfterFailure(plan.id(), record, e);
      throw e;
    }
  }

  private static EngineException couldNotStart(SandboxId id, Exception e) {
    return new EngineException(
        codeOf(e), "Could not start sandbox %s: %s".formatted(id, e.getMessage()), e);
  }

  @Override
  public Cage restart(CagePlan plan) {
    requireWithinBounds(plan);
    SandboxId id = plan.id();
    RootFs before =
        keptFiles
            .find(id)
            .filter(_ -> !cages.containsKey(id))
            .orElseThrow(
                () -> new EngineException("Sandbox %s runs, or has left no files".formatted(id)));
    if (!LayerRecord.partsOf(before).equals(LayerRecord.partsOf(plan.root()))) {
      throw new EngineException(
          ErrorCode.UNSUPPORTED,
          "Sandbox %s was made over a root file system with other parts".formatted(id));
    }
    keptFiles.prepare(id);
    var record = new CageRecord(bootId, ids.take());
    try {
      return build(plan, record, true);
    } catch (IOException | SpawnerRefusedException e) {
      haltAfterFailure(id, record, e);
      throw couldNotStart(id, e);
    } catch (EngineException e) {
      haltAfterFailure(id, record, e);
      throw e;
    }
  }

  private void haltAfterFailure(SandboxId id, CageRecord record, Exception why) {
    try {
      cgroups.killAll(id);
      settleHalted(id, record);
    } catch (EngineException e) {
      why.addSuppressed(e); // halt() finds it later
    }
  }

  @Override
  public Optional<RootFs> halt(SandboxId id) {
    var cage = cages.get(id);
    if (cage != null) {
      cage.halt();
      return keptFiles.find(id);
    }
    cgroups.killAll(id);
    CageRecord record = CageRecord.find(home.sandbox(id)).orElse(new CageRecord("", 0));
    keptFiles.endSealing(id);
    if (keptFiles.find(id).isEmpty()) {
      removeRemains(id, record);
      return Optional.empty();
    }
    settleHalted(id, record);
    return keptFiles.find(id);
  }

  /** The record goes last: it says whose ids are in use. */
  private void settleHalted(SandboxId id, CageRecord record) {
    cgroups.remove(id);
    keptFiles.settle(id);
    try {
      Files.deleteIfExists(home.socket(id));
      Files.deleteIfExists(home.sandbox(id).resolve(VOLUMES));
      CageRecord.remove(home.sandbox(id));
    } catch (IOException e) {
      throw new EngineException("Could not put the files of sandbox %s in order".formatted(id), e);
    }
    forget(id, record);
  }

  private void forget(SandboxId id, CageRecord record) {
    cages.remove(id);
    if (record.bootId().equals(bootId)) {
      ids.release(record.firstId());
    }
  }

  /**
   * A target may lead through a link or a file of the template, and only the caller can mend that.
   */
  private static ErrorCode codeOf(Exception failure) {
    String message = String.valueOf(failure.getMessage());
    return message.startsWith("mount a volume at ") ? ErrorCode.UNSUPPORTED : ErrorCode.UNAVAILABLE;
  }

  private static void requireWithinBounds(CagePlan plan) {
    int layers = plan.root().layers().size();
    int grafts = plan.root().grafts().size();
    if (plan.root().sealed().size() > RootFs.MAX_SEALED) {
      throw new EngineException(
          "A root file system may have %d sealed layers".formatted(RootFs.MAX_SEALED));
    }
    if (layers > SpawnerRequest.Start.MAX_LAYERS || grafts > SpawnerRequest.Start.MAX_GRAFTS) {
      throw new EngineException(
          "A root file system may have %d layers and %d grafts, not %d and %d"
              .formatted(
                  SpawnerRequest.Start.MAX_LAYERS,
                  SpawnerRequest.Start.MAX_GRAFTS,
                  layers,
                  grafts));
    }
  }

  private ContainerCage build(CagePlan plan, CageRecord record, boolean again) throws IOException {
    SandboxId id = plan.id();
    Path folder = home.sandbox(id);
    record.write(folder);
    RootRecord.write(folder, plan.root());
    sealedImages.require(plan.root());
    cgroups.create(id, plan.resources());
    SpawnerRequest.Start request = request(plan, record, again);
    if (!plan.volumes().isEmpty()) {
      Files.createFile(folder.resolve(VOLUMES));
    }
    var started = volumeImages.attaching(plan.volumes(), at -> spawner.start(request.with(at)));
    FailPoint.CAGE_STARTED.reached();
    var running = new CageRecord.Running(started.process(), started.loopDevice());
    CageRecord.writeRunning(folder, running);
    var standing =
        new ContainerCage.Standing(plan.root(), request.baseImage(), !plan.volumes().isEmpty());
    return register(id, record, running, started.exit(), standing);
  }

  private SpawnerRequest.Start request(CagePlan plan, CageRecord record, boolean again)
      throws IOException {
    String baseImage = "";
    if (again) {
      baseImage = baseImageFor(plan.id());
    } else if (diskLimits) {
      baseImage = baseImages.require(plan.resources().diskMb());
    } else {
      Files.createDirectory(home.sandbox(plan.id()).resolve("writable"));
    }
    long memory = plan.resources().memoryMb() * 1024L * 1024L;
    long shm = Math.min(memory / SHM_DIVISOR, MAX_SHM_BYTES);
    return new SpawnerRequest.Start(
        plan.id(), record.firstId(), shm, baseImage, plan.root(), List.of(), again);
  }

  private ContainerCage register(
      SandboxId id,
      CageRecord record,
      CageRecord.Running running,
      CompletableFuture<Integer> exit,
      ContainerCage.Standing standing) {
    var parts =
        new ContainerCage.Parts(
            home, spawner, cgroups, sealer, standing, new Remains(), this::settleHalted);
    var cage = new ContainerCage(id, record, running, exit, parts);
    cages.put(id, cage);
    return cage;
  }

  private void removeAfterFailure(SandboxId id, CageRecord record, Exception why) {
    try {
      cgroups.killAll(id);
      removeRemains(id, record);
    } catch (EngineException e) {
      why.addSuppressed(e); // remove() finds it later: the folder is still there
    }
  }

  private void removeRemains(SandboxId id, CageRecord record) {
    cgroups.remove(id);
    folders.remove(id);
    forget(id, record);
  }

  /** Takes away what a cage leaves that nobody wants to go on with. */
  private final class Remains implements ContainerCage.Remains {
    @Override
    public void disown(SandboxId id) {
      keptFiles.disown(id);
    }

    @Override
    public void remove(SandboxId id, CageRecord record) {
      removeRemains(id, record);
    }
  }

  @Override
  public Optional<Cage> adopt(SandboxId id) {
    return adopt(id, false);
  }

  @Override
  public Optional<Cage> adoptPaused(SandboxId id) {
    return adopt(id, true);
  }

  private Optional<Cage> adopt(SandboxId id, boolean paused) {
    Cage known = cages.get(id);
    if (known != null) {
      return Optional.of(known);
    }
    Path folder = home.sandbox(id);
    var record = CageRecord.find(folder).filter(r -> r.bootId().equals(bootId));
    var running = CageRecord.findRunning(folder);
    var root = RootRecord.find(folder);
    if (record.isEmpty()
        || running.isEmpty()
        || root.isEmpty()
        || !running.get().process().runs()
        || sealer.wasChanging(id)) {
      return Optional.empty();
    }
    var exit = spawner.watch(running.get().process());
    if (exit.isDone()) {
      return Optional.empty();
    }
    var now = sealer.repair(id, running.get(), root.get(), paused);
    RootFs standsOn = RootRecord.find(folder).orElse(root.get());
    sealedImages.verifySoon(standsOn); // its next seal asks for them, and should not wait
    var standing =
        new ContainerCage.Standing(
            standsOn, baseImageFor(id), Files.exists(folder.resolve(VOLUMES)));
    ContainerCage cage = register(id, record.get(), now, exit, standing);
    if (paused) {
      cage.notePaused();
    }
    return Optional.of(cage);
  }

  /** The image that is as large as the one the sandbox has. */
  private String baseImageFor(SandboxId id) {
    Path image = home.sandbox(id).resolve("image");
    try {
      return Files.exists(image) ? baseImages.require((int) (Files.size(image) >> 20)) : "";
    } catch (IOException e) {
      throw new EngineException("Could not see the disk of sandbox " + id, e);
    }
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
    var cage = cages.get(id);
    if (cage != null) {
      cage.destroy();
      return;
    }
    cgroups.killAll(id);
    removeRemains(id, CageRecord.find(home.sandbox(id)).orElse(new CageRecord("", 0)));
  }

  @Override
  public void close() {
    sealedImages.close();
    spawner.close();
    if (present().isEmpty()) {
      cgroups.close();
      ids.releaseBlocks();
    }
    lock.close();
  }

  /** For tests that end the spawner. */
  long spawnerPid() {
    return spawner.pid();
  }
}
