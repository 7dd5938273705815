package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.Writings;
import dev.cove.model.ErrorCode;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.meter.BootClock;
import dev.cove.model.meter.Moment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Builds cages and takes over those that an earlier engine has built.
 *
 * <p>A start goes through: {@link IdRanges} for ids, {@link CageRecord} in the sandbox's folder,
 * {@link Cgroups} for limits, {@link BaseImages} for a disk, and {@link Spawner} for the cage.
 */
final class CageBuilding {
  private static final List<String> CALLERS_TO_MEND =
      List.of(
          "mount a volume at ",
          "mount the project at ",
          "open the project ",
          "map the ids of the project ");

  private static final int SHM_DIVISOR = 2;
  private static final long MAX_SHM_BYTES = 1L << 30;

  /** As in spawner.h. */
  private static final long ROOT_CAPABILITIES = 0x4fb;

  private static final long AGENT_CAPABILITIES = ROOT_CAPABILITIES | 1 << 8;

  private final EngineHome home;
  private final SandboxFolders folders;
  private final Cgroups cgroups;
  private final IdRanges ids;
  private final Spawner spawner;
  private final BaseImages baseImages;
  private final SealedImages sealedImages;
  private final Sealer sealer;
  private final KeptFiles keptFiles;
  private final VolumeImages volumeImages;
  private final boolean diskLimits;
  private final CageRemains remains;
  private final BootClock clock;
  private final String bootId;
  private final Map<SandboxId, Cage> cages;

  /** What cages are built with and of. */
  record Parts(
      EngineHome home,
      Cgroups cgroups,
      IdRanges ids,
      Spawner spawner,
      BaseImages baseImages,
      SealedImages sealedImages,
      Sealer sealer,
      KeptFiles keptFiles,
      VolumeImages volumeImages,
      boolean diskLimits) {}

  /**
   * @param cages those that stand; whatever is built or taken over comes in
   */
  CageBuilding(Parts parts, CageRemains remains, BootClock clock, Map<SandboxId, Cage> cages) {
    this.home = parts.home();
    this.folders = new SandboxFolders(home);
    this.cgroups = parts.cgroups();
    this.ids = parts.ids();
    this.spawner = parts.spawner();
    this.baseImages = parts.baseImages();
    this.sealedImages = parts.sealedImages();
    this.sealer = parts.sealer();
    this.keptFiles = parts.keptFiles();
    this.volumeImages = parts.volumeImages();
    this.diskLimits = parts.diskLimits();
    this.remains = remains;
    this.clock = clock;
    this.bootId = clock.now().boot();
    this.cages = cages;
  }

  Cage start(CagePlan plan, Optional<Launcher> launcher) {
    requireWithinBounds(plan);
    var record = newRecord();
    try {
      folders.make(plan.id());
    } catch (EngineException e) {
      ids.release(record.firstId());
      throw e;
    }
    try {
      return build(plan, record, false, launcher);
    } catch (IOException | SpawnerRefusedException e) {
      remains.removeAfterFailure(plan.id(), record, e);
      throw couldNotStart(plan.id(), e);
    } catch (EngineException e) {
      remains.removeAfterFailure(plan.id(), record, e);
      throw e;
    }
  }

  private CageRecord newRecord() {
    Moment now = clock.now();
    return new CageRecord(now.boot(), ids.take(), now.nanos());
  }

  private static EngineException couldNotStart(SandboxId id, Exception e) {
    return new EngineException(
        codeOf(e), "Could not start sandbox %s: %s".formatted(id, e.getMessage()), e);
  }

  Cage restart(CagePlan plan, Optional<Launcher> launcher) {
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
    var record = newRecord();
    try {
      return build(plan, record, true, launcher);
    } catch (IOException | SpawnerRefusedException e) {
      remains.haltAfterFailure(id, record, e);
      throw couldNotStart(id, e);
    } catch (EngineException e) {
      remains.haltAfterFailure(id, record, e);
      throw e;
    }
  }

  /**
   * A target may lead through a link or a file of the template, and a project may have gone or lie
   * on a file system that cannot be id-mapped. Only the caller can mend that.
   */
  private static ErrorCode codeOf(Exception failure) {
    String message = String.valueOf(failure.getMessage());
    return CALLERS_TO_MEND.stream().anyMatch(message::startsWith)
        ? ErrorCode.UNSUPPORTED
        : ErrorCode.UNAVAILABLE;
  }

  static void requireWithinBounds(CagePlan plan) {
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

  private ContainerCage build(
      CagePlan plan, CageRecord record, boolean again, Optional<Launcher> launcher)
      throws IOException {
    SandboxId id = plan.id();
    Path folder = home.sandbox(id);
    record.write(folder);
    FailPoint.CAGE_RECORDED.reached();
    RootRecord.write(folder, plan.root());
    sealedImages.require(plan.root());
    cgroups.create(id, limits(plan.resources(), launcher));
    FailPoint.CAGE_LIMITED.reached();
    SpawnerRequest.Start request = request(plan, record, again, launcher);
    if (launcher.isPresent()) {
      var wanted =
          new Launcher.Wanted(
              id.value(),
              record.firstId(),
              request.shmBytes(),
              plan.resources(),
              ROOT_CAPABILITIES,
              AGENT_CAPABILITIES);
      Files.writeString(folder.resolve(SandboxFolders.CONFIG), launcher.get().config(wanted));
    }
    if (!plan.volumes().isEmpty()) {
      Files.createFile(folder.resolve(SandboxFolders.VOLUMES));
    }
    var started = volumeImages.attaching(plan.volumes(), at -> spawner.start(request.with(at)));
    FailPoint.CAGE_STARTED.reached();
    var running = new CageRecord.Running(started.process(), started.loopDevice());
    CageRecord.writeRunning(folder, running);
    FailPoint.CAGE_WRITTEN_DOWN.reached();
    var standing =
        new ContainerCage.Standing(
            plan.root(), request.baseImage(), !plan.volumes().isEmpty(), launcher);
    return register(id, record, running, started.exit(), standing);
  }

  private static Resources limits(Resources asked, Optional<Launcher> launcher) {
    return launcher.map(program -> program.limits(asked)).orElse(asked);
  }

  private SpawnerRequest.Start request(
      CagePlan plan, CageRecord record, boolean again, Optional<Launcher> launcher)
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
        plan.id(),
        record.firstId(),
        shm,
        baseImage,
        plan.root(),
        List.of(),
        again,
        launcher.map(program -> program.command(plan.id().value())).orElse(List.of()));
  }

  private ContainerCage register(
      SandboxId id,
      CageRecord record,
      CageRecord.Running running,
      CompletableFuture<Integer> exit,
      ContainerCage.Standing standing) {
    var parts = new ContainerCage.Parts(home, spawner, cgroups, sealer, standing, remains, remains);
    var cage = new ContainerCage(id, record, running, exit, parts);
    cages.put(id, cage);
    return cage;
  }

  /**
   * Takes over a cage that an earlier engine has built, if it still runs.
   *
   * @param paused whether it stands still
   */
  Optional<Cage> adopt(SandboxId id, boolean paused, Optional<Launcher> launcher) {
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
        || sealer.wasChanging(id)
        || Files.exists(folder.resolve(SandboxFolders.CONFIG)) != launcher.isPresent()) {
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
            standsOn,
            baseImageFor(id),
            Files.exists(folder.resolve(SandboxFolders.VOLUMES)),
            launcher);
    ContainerCage cage = register(id, record.get(), now, exit, standing);
    if (paused) {
      cage.notePaused();
    }
    return Optional.of(cage);
  }

  /** Of one that runs, or that has left its files. */
  Writings writings(SandboxId id) {
    Path folder = home.sandbox(id).resolve("writable");
    if (Files.isDirectory(folder)) {
      return ReachedLayers.folder(folder);
    }
    if (cages.get(id) instanceof ContainerCage cage) {
      return cage.writings();
    }
    RootFs root =
        keptFiles
            .find(id)
            .orElseThrow(() -> new EngineException("Sandbox %s has left no files".formatted(id)));
    keptFiles.prepare(id);
    sealedImages.require(root);
    return ReachedLayers.by(spawner, Optional.of(id), -1, root.sealed());
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
}
