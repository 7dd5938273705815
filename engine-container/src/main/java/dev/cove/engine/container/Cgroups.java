package dev.cove.engine.container;

import dev.cove.engine.CageCount;
import dev.cove.engine.EngineException;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.meter.Counter;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control groups of one home: a group of its own in each hierarchy, and in it one per sandbox.
 *
 * <p>{@link CgroupsV1} and {@link CgroupsV2} differ in files and units; what must happen is here.
 */
abstract sealed class Cgroups permits CgroupsV1, CgroupsV2 {
  static final int CPU_PERIOD_MICROS = 100_000;

  private static final Logger LOG = LoggerFactory.getLogger(Cgroups.class);
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final long SHORTEST_PAUSE_NANOS = 50_000;
  private static final long LONGEST_PAUSE_NANOS = 5_000_000;

  /** What the kernel counted. */
  record Usage(
      Duration cpu, long memoryBytes, long memoryPeakBytes, int processes, long oomKills) {}

  /** The home's group in each hierarchy, for the spawner. */
  abstract List<Path> groups();

  /** How the spawner is told of {@link #groups}. */
  abstract String spawnerOption();

  /** Makes the home's own groups. */
  abstract void open();

  abstract void limit(SandboxId id, Resources resources);

  /** Limits the memory of all sandboxes together. */
  final void limitAll(long bytes) {
    long used = memoryOfAll();
    if (used > bytes) {
      LOG.warn(
          "Sandboxes use {} MiB, and may use {} together; until there is a new server after they"
              + " use less, they may keep what they have",
          used >> 20,
          bytes >> 20);
    }
    // Less than is in use would have the kernel kill right away.
    write(memoryLimitOfAll(), Math.max(bytes, used));
  }

  abstract Path memoryLimitOfAll();

  abstract long memoryOfAll();

  abstract void freeze(SandboxId id);

  abstract void thaw(SandboxId id);

  abstract Usage usage(SandboxId id);

  abstract long oomKills(SandboxId id);

  /** Zero where there is no such group. */
  final Duration cpu(SandboxId id) {
    return Duration.of(cpuMicros(id).orElse(0), ChronoUnit.MICROS);
  }

  abstract OptionalLong cpuMicros(SandboxId id);

  abstract long memoryBytes(SandboxId id);

  /** What a cage's groups have counted; nothing when they are gone. */
  final Optional<CageCount> count(SandboxId id, CageRecord record) {
    OptionalLong cpu = cpuMicros(id);
    return cpu.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new CageCount(new Counter(record.moment(), cpu.getAsLong()), memoryBytes(id)));
  }

  /** Sends SIGKILL to every process once; new ones may have appeared meanwhile. */
  abstract void killOnce(SandboxId id);

  final void create(SandboxId id, Resources resources) {
    for (Path group : groups()) {
      makeFolder(group.resolve(id.value()));
    }
    limit(id, resources);
  }

  final Set<Long> processes(SandboxId id) {
    var pids = new HashSet<Long>();
    for (Path group : groups()) {
      for (String line : readLines(group.resolve(id.value()).resolve("cgroup.procs"))) {
        pids.add(Long.parseLong(line));
      }
    }
    pids.remove(0L); // processes that live in a pid namespace we cannot see
    return pids;
  }

  /** Ends every process of the sandbox, also a frozen one, and returns when none is left. */
  final void killAll(SandboxId id) {
    thaw(id);
    waitUntil(
        "the processes of sandbox " + id + " to end",
        () -> {
          if (processes(id).isEmpty()) {
            return true;
          }
          killOnce(id);
          return false;
        });
  }

  /** Asks every process of the sandbox to end, but for one. */
  final void terminate(SandboxId id, long spared) {
    for (long pid : processes(id)) {
      Optional<ProcessHandle> process = ProcessHandle.of(pid);
      // Looked up once more, now that the handle knows which process it means: pids come back.
      if (pid != spared && process.isPresent() && processes(id).contains(pid)) {
        process.get().destroy();
      }
    }
  }

  /** Removes the sandbox's groups, which must be empty or about to be. */
  final void remove(SandboxId id) {
    for (Path group : groups()) {
      Path folder = group.resolve(id.value());
      waitUntil("the cgroup " + folder + " to be free", () -> removed(folder));
    }
  }

  private static boolean removed(Path folder) {
    try {
      Files.deleteIfExists(folder);
      return true;
    } catch (FileSystemException e) {
      return false; // busy: a dying process has not left yet
    } catch (IOException e) {
      throw new EngineException("Could not remove the cgroup " + folder, e);
    }
  }

  final Set<SandboxId> present() {
    var ids = new HashSet<SandboxId>();
    for (Path group : groups()) {
      if (!Files.isDirectory(group)) {
        continue;
      }
      try (var entries = Files.newDirectoryStream(group, Files::isDirectory)) {
        for (Path entry : entries) {
          String name = entry.getFileName().toString();
          if (SandboxId.isValid(name)) {
            ids.add(new SandboxId(name));
          }
        }
      } catch (IOException e) {
        throw new EngineException("Could not list the cgroup " + group, e);
      }
    }
    return ids;
  }

  /** Removes the home's own groups where no sandbox is in them. */
  final void close() {
    groups().forEach(Cgroups::removed);
  }

  static void waitUntil(String what, BooleanSupplier done) {
    waitUntil(DEADLINE, what, done);
  }

  static void waitUntil(Duration patience, String what, BooleanSupplier done) {
    long deadline = System.nanoTime() + patience.toNanos();
    long pause = SHORTEST_PAUSE_NANOS;
    while (!done.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new EngineException("Waited %d s for %s".formatted(patience.toSeconds(), what));
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
    }
  }

  static void makeFolder(Path folder) {
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      return;
    } catch (IOException e) {
      throw new EngineException("Could not make the cgroup " + folder, e);
    }
  }

  static void write(Path file, Object value) {
    try {
      Files.writeString(file, value.toString(), StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new EngineException("Could not write %s to %s".formatted(value, file), e);
    }
  }

  static List<String> readLines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of(); // the group is gone, or this kernel has no such file
    }
  }

  static OptionalLong readNumber(Path file) {
    var lines = readLines(file);
    return lines.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(lines.getFirst().strip()));
  }

  /** The number behind a word, in a file of lines "word number". */
  static OptionalLong readKey(Path file, String key) {
    for (String line : readLines(file)) {
      if (line.startsWith(key + " ")) {
        return OptionalLong.of(Long.parseLong(line.substring(key.length() + 1).strip()));
      }
    }
    return OptionalLong.empty();
  }
}
