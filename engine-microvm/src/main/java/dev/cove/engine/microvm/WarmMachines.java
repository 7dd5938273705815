package dev.cove.engine.microvm;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Machines that have booted and wait for what they are to be, written down: memory in one file,
 * devices in another. Nothing of any sandbox is in them, nor of any template, so one serves all
 * that are of its {@link QemuCommand.Shape}.
 */
final class WarmMachines {
  private static final Logger LOG = LoggerFactory.getLogger(WarmMachines.class);
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Emulated on a busy host a boot takes a while. */
  private static final Duration BOOT = Duration.ofSeconds(150);

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

  /** Shapes that are kept; those that were used last. */
  static final int MAX_KEPT = 8;

  private static final String UNFINISHED = ".new";
  private static final String MEMORY = "memory";
  private static final String STATE = "state";
  private static final String OWNER = "owner";

  private final Path folder;
  private final Path sockets;
  private final Path program;
  private final GuestKernel kernel;
  private final Supplier<InitialDisk> making;

  // Guarded by this.
  private @Nullable InitialDisk disk;
  private String digest = "";

  private final Map<String, Object> locks = new ConcurrentHashMap<>();

  /**
   * @param folder for what is written down
   * @param sockets a folder with a short name
   * @param making of the initial disk, which nobody needs before the first machine
   */
  WarmMachines(
      Path folder, Path sockets, Path program, GuestKernel kernel, Supplier<InitialDisk> making) {
    this.folder = folder;
    this.sockets = sockets;
    this.program = program;
    this.kernel = kernel;
    this.making = making;
    sweep();
  }

  private synchronized InitialDisk disk() {
    InitialDisk known = disk;
    if (known == null) {
      known = making.get();
      disk = known;
      digest = Digests.of(known.toBytes());
    }
    return known;
  }

  private synchronized String digest() {
    var _ = disk();
    return digest;
  }

  /** One that was written down. Its name is used for nothing else, ever. */
  record Warm(String name, Path memory, Path state) {
    static Warm in(Path folder) {
      return new Warm(
          folder.getFileName().toString(), folder.resolve(MEMORY), folder.resolve(STATE));
    }
  }

  /** What an earlier engine was making when it ended: its process, and its files. */
  private void sweep() {
    for (Path unfinished : list("*" + UNFINISHED)) {
      try {
        Path owner = unfinished.resolve(OWNER);
        if (Files.exists(owner)) {
          OwnedProcess.parse(Files.readString(owner)).ifPresent(OwnedProcess::end);
        }
        removeFolder(unfinished);
      } catch (IOException e) {
        throw new EngineException("Could not remove " + unfinished, e);
      }
    }
  }

  private List<Path> list(String pattern) {
    try (var found = Files.newDirectoryStream(folder, pattern)) {
      var all = new ArrayList<Path>();
      found.forEach(all::add);
      return all;
    } catch (IOException e) {
      throw new EngineException("Could not list " + folder, e);
    }
  }

  private static void removeFolder(Path unwanted) throws IOException {
    try (var files = Files.newDirectoryStream(unwanted)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(unwanted);
  }

  /** Boots one where there is none yet. */
  Warm require(QemuCommand.Shape shape) {
    String key = key(shape);
    synchronized (locks.computeIfAbsent(key, _ -> new Object())) {
      Warm warm = find(key).orElseGet(() -> make(key, shape));
      touch(warm);
      return warm;
    }
  }

  private Optional<Warm> find(String key) {
    return list(key + "-*").stream()
        .filter(found -> !found.toString().endsWith(UNFINISHED))
        .findFirst()
        .map(Warm::in);
  }

  /** Another kernel, agent or QEMU is another machine. */
  private String key(QemuCommand.Shape shape) {
    try {
      String parts =
          "%s %s %s %s %s %s"
              .formatted(
                  shape,
                  digest(),
                  kernel.image(),
                  Files.getLastModifiedTime(kernel.image()),
                  program,
                  Files.getLastModifiedTime(program));
      return Digests.of(parts).substring(0, 16);
    } catch (IOException e) {
      throw new EngineException("Could not look at QEMU and its kernel", e);
    }
  }

  private static void touch(Warm warm) {
    try {
      Files.setLastModifiedTime(
          warm.state(), java.nio.file.attribute.FileTime.from(java.time.Instant.now()));
    } catch (IOException e) {
      LOG.debug("{} was not marked as used", warm.name(), e);
    }
  }

  private Warm make(String key, QemuCommand.Shape shape) {
    LOG.info("Booting a machine with {} MB, to begin others with", shape.memoryMb());
    long start = System.nanoTime();
    String name = key + "-" + HexFormat.of().toHexDigits(RANDOM.nextInt());
    Path fresh = folder.resolve(name + UNFINISHED);
    Path conversation = sockets.resolve("w" + name.substring(name.length() - 8));
    try {
      Files.createDirectory(fresh);
      Files.createDirectories(conversation);
      try {
        boot(shape, fresh, conversation);
        Files.delete(fresh.resolve(OWNER));
        Files.delete(fresh.resolve("initrd"));
        Path finished = folder.resolve(name);
        Files.move(fresh, finished, StandardCopyOption.ATOMIC_MOVE);
        LOG.info("Booted a machine in {} ms", (System.nanoTime() - start) / 1_000_000);
        removeOldest();
        return Warm.in(finished);
      } finally {
        removeFolder(conversation);
        if (Files.exists(fresh)) {
          removeFolder(fresh);
        }
      }
    } catch (IOException e) {
      throw new EngineException("Could not boot a machine: " + e.getMessage(), e);
    }
  }

  /** Machines that go on with one that is removed keep what they have. */
  private void removeOldest() throws IOException {
    List<Path> all =
        list("*").stream()
            .filter(found -> !found.toString().endsWith(UNFINISHED))
            .sorted(Comparator.comparingLong(found -> found.resolve(STATE).toFile().lastModified()))
            .toList();
    for (Path old : all.subList(0, Math.max(0, all.size() - MAX_KEPT))) {
      removeFolder(old);
    }
  }

  private void boot(QemuCommand.Shape shape, Path fresh, Path conversation) throws IOException {
    Path memory = fresh.resolve(MEMORY);
    try (var file = new RandomAccessFile(memory.toFile(), "rw")) {
      file.setLength((long) shape.memoryMb() << 20);
    }
    Path disk = Files.write(fresh.resolve("initrd"), disk().toBytes());
    var command = new ArrayList<String>();
    // A network of its own for the wire, and no process that outlives the one that is known.
    command.addAll(List.of("unshare", "--net", "--pid", "--fork", "--kill-child", "--"));
    command.addAll(QemuCommand.begin(program, shape, kernel.image(), disk, memory, conversation));
    Path said = fresh.resolve("said");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    try {
      Files.writeString(fresh.resolve(OWNER), OwnedProcess.of(process).text());
      awaitSockets(process, conversation, said);
      try (var _ = MachineControl.open(conversation.resolve("control"), BOOT)) {
        writeDown(fresh.resolve(STATE), conversation);
      } catch (IOException e) {
        throw new IOException("the machine did not answer: " + Files.readString(said).strip(), e);
      }
    } finally {
      process.destroyForcibly();
    }
    Files.delete(said);
  }

  private static void awaitSockets(Process process, Path conversation, Path said)
      throws IOException {
    long deadline = System.nanoTime() + BOOT.toNanos();
    Path control = conversation.resolve("control");
    while (!Files.exists(control)) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new IOException("QEMU ended: " + Files.readString(said).strip());
      }
      sleep(BETWEEN_LOOKS);
    }
  }

  /** The memory is in its file already, which QEMU shares; this is the rest. */
  private static void writeDown(Path state, Path conversation) throws IOException {
    try (var monitor = QmpClient.connect(conversation.resolve("monitor"))) {
      monitor.leaveSharedMemory();
      monitor.writeTo(state);
    }
  }

  private static void sleep(Duration duration) throws IOException {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
