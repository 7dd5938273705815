package dev.cove.engine.microvm;

import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.EngineReport;
import dev.cove.engine.RootFs;
import dev.cove.engine.container.MachineProgram;
import dev.cove.engine.container.Machines;
import dev.cove.model.Resources;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Machines by QEMU. */
public final class Qemu implements Machines {
  /** QEMU itself, and the code that it has translated. */
  private static final int OVERHEAD_MB = 160;

  private static final int MAX_PROCESSORS = 8;
  private static final int SHM_DIVISOR = 2;
  private static final long MAX_SHM_BYTES = 64L << 20;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** All that QEMU sees of the host. */
  private static final List<Path> PARTS =
      Stream.of(
              "/usr/share/qemu",
              "/usr/share/seabios",
              "/usr/lib/x86_64-linux-gnu",
              "/usr/lib64",
              "/dev/null")
          .map(Path::of)
          .toList();

  private final QemuHost host;
  private final Optional<Ready> ready;

  /** What there is where machines can be made. */
  private record Ready(Path program, FolderImages folders, WarmMachines warm) {}

  private Qemu(QemuHost host, Optional<Ready> ready) {
    this.host = host;
    this.ready = ready;
  }

  /**
   * @param data survives a reboot
   * @param run does not need to, and has a short name
   */
  public static Qemu open(Path data, Path run) {
    var host = QemuHost.look();
    if (!host.report().usable()) {
      return new Qemu(host, Optional.empty());
    }
    try {
      Path folders = Files.createDirectories(data.resolve("engine/machines/folders"));
      Path warm = Files.createDirectories(data.resolve("engine/machines/warm"));
      Path sockets = Files.createDirectories(run.resolve("s"));
      Path program = host.program().orElseThrow();
      GuestKernel kernel = host.kernel().orElseThrow();
      return new Qemu(
          host,
          Optional.of(
              new Ready(
                  program,
                  new FolderImages(folders),
                  new WarmMachines(
                      warm,
                      sockets,
                      program,
                      kernel,
                      () -> InitialDisk.of(MachineProgram.bytes(), kernel)))));
    } catch (IOException e) {
      throw new EngineException("Could not make the folders of machines in " + data, e);
    }
  }

  /** What {@link #report} would say, as far as it can be told without opening anything. */
  public static EngineReport examine() {
    return QemuHost.look().report();
  }

  @Override
  public EngineReport report() {
    return host.report();
  }

  @Override
  public int overheadMb() {
    return OVERHEAD_MB;
  }

  @Override
  public Launch prepare(CagePlan plan, Path writable, List<Path> sealed) {
    Ready parts = ready.orElseThrow(() -> new EngineException("No machine can be made here"));
    var disks = new ArrayList<Disk>();
    disks.add(new Disk(writable, false));
    folders(plan.root(), parts.folders()).forEach(image -> disks.add(new Disk(image, true)));
    sealed.forEach(image -> disks.add(new Disk(image, true)));
    var shape = shape(plan.resources());
    WarmMachines.Warm warm = parts.warm().require(shape);
    var seen = new ArrayList<>(PARTS);
    seen.add(parts.program());
    if (host.hardware()) {
      seen.add(Path.of("/dev/kvm"));
    }
    return new Launch(
        warm.name(),
        warm.memory(),
        warm.state(),
        seen,
        disks,
        QemuCommand.goOn(parts.program(), shape, disks));
  }

  private QemuCommand.Shape shape(Resources resources) {
    int processors = Math.clamp((resources.milliCpus() + 999) / 1_000, 1, MAX_PROCESSORS);
    return new QemuCommand.Shape(
        resources.memoryMb(), host.hardware() ? processors : 1, host.hardware());
  }

  /** Layers first, then grafts. A root of the host's changes its first layer when it changes. */
  private static List<Path> folders(RootFs root, FolderImages images) {
    var found = new ArrayList<Path>();
    var versions = new StringBuilder();
    for (Path layer : root.layers()) {
      String version = versionOf(layer);
      versions.append(version).append('\n');
      found.add(images.require(layer, version));
    }
    for (RootFs.Graft graft : root.grafts()) {
      found.add(images.require(graft.source(), versions.toString()));
    }
    return found;
  }

  private static String versionOf(Path layer) {
    try {
      return "%s %s %s"
          .formatted(
              layer, Files.getAttribute(layer, "unix:ino"), Files.getLastModifiedTime(layer));
    } catch (IOException e) {
      throw new EngineException("The layer %s is not there".formatted(layer), e);
    }
  }

  /** All machines of a shape were one until here: names, time and randomness are told first. */
  @Override
  public void begin(CagePlan plan, boolean again, Path monitor, Path control) {
    goOn(monitor);
    RootFs root = plan.root();
    Resources resources = plan.resources();
    long memory = resources.memoryMb() * 1024L * 1024L;
    byte[] seed = new byte[32];
    RANDOM.nextBytes(seed);
    var lines = new ArrayList<String>();
    Instant now = Instant.now();
    lines.add("clock %d %d".formatted(now.getEpochSecond(), now.getNano()));
    lines.add("seed " + HexFormat.of().formatHex(seed));
    lines.add(
        "box %s %d %d %d %d %d"
            .formatted(
                plan.id(),
                Math.min(memory / SHM_DIVISOR, MAX_SHM_BYTES),
                again ? 1 : 0,
                root.layers().size(),
                root.sealed().size(),
                resources.maxProcesses()));
    root.grafts().forEach(graft -> lines.add("graft " + oneLine(graft.target())));
    lines.add("start");
    tell(control, lines, "begin");
  }

  private static void goOn(Path monitor) {
    try (var qemu = QmpClient.connect(monitor)) {
      qemu.leaveSharedMemory();
      qemu.goOnFrom(QemuCommand.STATE);
    } catch (IOException e) {
      throw new EngineException("QEMU did not begin: " + e.getMessage(), e);
    }
  }

  private static String oneLine(String target) {
    if (target.indexOf('\n') >= 0) {
      throw new EngineException("A graft has a line end in its name");
    }
    return target;
  }

  private static void tell(Path control, List<String> lines, String purpose) {
    try (var conversation = MachineControl.open(control)) {
      conversation.tell(lines);
    } catch (IOException e) {
      throw new EngineException("The machine did not %s: %s".formatted(purpose, e.getMessage()), e);
    }
  }

  @Override
  public ByteChannel connect(Path link) throws IOException {
    return PortChannel.connect(link);
  }

  @Override
  public void freeze(Path control) {
    tell(control, List.of("freeze"), "flush its disk");
  }

  @Override
  public void thaw(Path control) {
    tell(control, List.of("thaw"), "go on writing to its disk");
  }

  @Override
  public void terminate(Path control) {
    tell(control, List.of("terminate"), "end its programs");
  }

  @Override
  public void close() {
    // Machines outlive us, and nothing else runs.
  }
}
