package dev.cove.engine.container;

import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.Engine;
import dev.cove.engine.EngineException;
import dev.cove.engine.EngineReport;
import dev.cove.engine.RootFs;
import dev.cove.model.ErrorCode;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.meter.BootClock;
import dev.cove.model.meter.Moment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Cages that are virtual machines. Folders, records, cgroups, ids and layers are those of {@link
 * ContainerEngine}, on whose home this one stands; what runs in a cage is up to {@link Machines}.
 */
public final class MachineEngine implements Engine {
  /** A file in the folder of a sandbox that is a machine's: nobody else takes it for theirs. */
  static final String MARK = "machine";

  private static final int MIN_THREADS = 64;

  private final EngineHome home;
  private final SandboxFolders folders;
  private final CageBuilding.Parts parts;
  private final Machines machines;
  private final BootClock clock;
  private final CageRemains remains;
  private final Map<SandboxId, Cage> cages = new ConcurrentHashMap<>();

  MachineEngine(CageBuilding.Parts parts, BootClock clock, Machines machines) {
    this.home = parts.home();
    this.folders = new SandboxFolders(home);
    this.parts = parts;
    this.machines = machines;
    this.clock = clock;
    this.remains =
        new CageRemains(
            home, parts.cgroups(), parts.ids(), parts.keptFiles(), clock.now().boot(), cages);
  }

  @Override
  public Tier tier() {
    return Tier.MICROVM;
  }

  @Override
  public void onEnd(EndListener listener) {
    remains.onEnd(listener);
  }

  @Override
  public EngineReport report() {
    return machines.report();
  }

  /** The machine's own limits hold inside; these hold the program that it is. */
  static Resources around(Resources inside, Machines machines) {
    return new Resources(
        inside.milliCpus(),
        inside.memoryMb() + machines.overheadMb(),
        inside.diskMb(),
        Math.max(MIN_THREADS, inside.maxProcesses()));
  }

  @Override
  public Cage start(CagePlan plan) {
    requirePossible(plan);
    Path fresh = emptyDisk(plan.resources().diskMb());
    Machines.Launch launch = prepare(plan);
    CageRecord record = newRecord();
    try {
      folders.make(plan.id());
    } catch (EngineException e) {
      parts.ids().release(record.firstId());
      throw e;
    }
    try {
      Files.createFile(home.sandbox(plan.id()).resolve(MARK));
      record.write(home.sandbox(plan.id()));
      FailPoint.CAGE_RECORDED.reached();
      SparseFile.copy(fresh, home.image(plan.id()));
      return build(plan, record, launch, false);
    } catch (IOException | SpawnerRefusedException e) {
      remains.removeAfterFailure(plan.id(), record, e);
      throw couldNotStart(plan.id(), e);
    } catch (EngineException e) {
      remains.removeAfterFailure(plan.id(), record, e);
      throw e;
    }
  }

  @Override
  public Cage restart(CagePlan plan) {
    requirePossible(plan);
    SandboxId id = plan.id();
    if (cages.containsKey(id) || parts.keptFiles().find(id).isEmpty()) {
      throw new EngineException("Sandbox %s runs, or has left no files".formatted(id));
    }
    Machines.Launch launch = prepare(plan);
    CageRecord record = newRecord();
    try {
      record.write(home.sandbox(id));
      return build(plan, record, launch, true);
    } catch (IOException | SpawnerRefusedException e) {
      remains.haltAfterFailure(id, record, e);
      throw couldNotStart(id, e);
    } catch (EngineException e) {
      remains.haltAfterFailure(id, record, e);
      throw e;
    }
  }

  private void requirePossible(CagePlan plan) {
    EngineReport report = machines.report();
    if (!report.usable()) {
      throw new EngineException(
          ErrorCode.TIER_UNAVAILABLE, "No machine can be made here: " + report.obstacles());
    }
    if (!plan.volumes().isEmpty()) {
      throw new EngineException(
          ErrorCode.UNSUPPORTED, "Sandboxes of the tier microvm cannot have volumes yet");
    }
    if (!plan.root().workspaces().isEmpty()) {
      throw new EngineException(
          ErrorCode.UNSUPPORTED, "Sandboxes of the tier microvm cannot have folders of the host");
    }
    CageBuilding.requireWithinBounds(plan);
  }

  private Path emptyDisk(int diskMb) {
    return home.baseImages().resolve(parts.baseImages().requireWithJournal(diskMb));
  }

  private Machines.Launch prepare(CagePlan plan) {
    parts.sealedImages().verify(plan.root());
    List<Path> sealed = plan.root().sealed().stream().map(parts.sealedImages()::file).toList();
    return machines.prepare(plan, home.image(plan.id()), sealed);
  }

  private CageRecord newRecord() {
    Moment now = clock.now();
    return new CageRecord(now.boot(), parts.ids().take(), now.nanos());
  }

  private static EngineException couldNotStart(SandboxId id, Exception e) {
    return new EngineException("Could not start sandbox %s: %s".formatted(id, e.getMessage()), e);
  }

  private Cage build(CagePlan plan, CageRecord record, Machines.Launch launch, boolean again)
      throws IOException {
    SandboxId id = plan.id();
    Path folder = home.sandbox(id);
    RootRecord.write(folder, plan.root());
    parts.cgroups().create(id, around(plan.resources(), machines));
    FailPoint.CAGE_LIMITED.reached();
    Spawner.Started started =
        parts.spawner().start(new SpawnerRequest.StartMachine(id, record.firstId(), launch));
    FailPoint.CAGE_STARTED.reached();
    var running = new CageRecord.Running(started.process(), -1);
    CageRecord.writeRunning(folder, running);
    Files.writeString(folder.resolve(MARK), Integer.toString(plan.resources().memoryMb()));
    FailPoint.CAGE_WRITTEN_DOWN.reached();
    machines.begin(plan, again, home.monitor(id), home.control(id));
    var cage =
        new MachineCage(
            id,
            record,
            running,
            plan.root(),
            plan.resources().memoryMb(),
            started.exit(),
            cageParts());
    cages.put(id, cage);
    return cage;
  }

  private MachineCage.Parts cageParts() {
    return new MachineCage.Parts(
        home, parts.spawner(), parts.cgroups(), parts.sealedImages(), remains, machines);
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
    var record = CageRecord.find(folder).filter(r -> r.bootId().equals(clock.now().boot()));
    var running = CageRecord.findRunning(folder).filter(r -> r.process().runs());
    var root = RootRecord.find(folder);
    Optional<Integer> memoryMb = memoryOf(folder);
    if (record.isEmpty() || running.isEmpty() || root.isEmpty() || memoryMb.isEmpty()) {
      return Optional.empty();
    }
    var exit = parts.spawner().watch(running.get().process());
    if (exit.isDone()) {
      return Optional.empty();
    }
    var cage =
        new MachineCage(
            id, record.get(), running.get(), root.get(), memoryMb.get(), exit, cageParts());
    if (paused) {
      cage.notePaused();
    } else {
      parts.cgroups().thaw(id);
      machines.thaw(home.control(id));
    }
    cages.put(id, cage);
    return Optional.of(cage);
  }

  private static Optional<Integer> memoryOf(Path folder) {
    try {
      return Optional.of(Integer.valueOf(Files.readString(folder.resolve(MARK))));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty(); // it never ran
    }
  }

  @Override
  public Optional<RootFs> halt(SandboxId id) {
    return remains.halt(id);
  }

  @Override
  public Set<SandboxId> present() {
    return folders.all().stream()
        .filter(id -> isMachine(home, id))
        .collect(Collectors.toUnmodifiableSet());
  }

  static boolean isMachine(EngineHome home, SandboxId id) {
    return Files.exists(home.sandbox(id).resolve(MARK));
  }

  @Override
  public void remove(SandboxId id) {
    if (cages.containsKey(id) || isMachine(home, id)) {
      remains.remove(id);
    }
  }

  @Override
  public long diskBytes(SandboxId id) {
    try {
      return SparseFile.bytesOnDisk(home.image(id));
    } catch (IOException e) {
      return 0; // it went meanwhile
    }
  }

  @Override
  public void close() {
    machines.close();
  }
}
