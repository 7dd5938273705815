package dev.cove.engine.container;

import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * One hierarchy per controller, some of them shared. A v2 hierarchy may lie beside them (hybrid);
 * it then has no controllers that matter here and is left alone.
 */
final class CgroupsV1 extends Cgroups {
  /** What a hierarchy must be there for. */
  enum Controller {
    MEMORY,
    CPU,
    CPUACCT,
    PIDS,
    FREEZER
  }

  private final Map<Controller, Path> hierarchies;
  private final String name;

  /**
   * @param hierarchies where each controller is mounted
   * @param name of the home's own group
   */
  CgroupsV1(Map<Controller, Path> hierarchies, String name) {
    this.hierarchies = Map.copyOf(hierarchies);
    this.name = name;
  }

  @Override
  List<Path> groups() {
    return hierarchies.values().stream().distinct().sorted().map(m -> m.resolve(name)).toList();
  }

  @Override
  String spawnerOption() {
    return "--cgroup";
  }

  @Override
  void open() {
    groups().forEach(Cgroups::makeFolder);
  }

  private Path file(Controller controller, SandboxId id, String file) {
    return file(controller, id.value()).resolve(file);
  }

  private Path file(Controller controller, String file) {
    Path mount = hierarchies.get(controller);
    if (mount == null) {
      throw new IllegalStateException("No hierarchy for " + controller);
    }
    return mount.resolve(name).resolve(file);
  }

  @Override
  void limit(SandboxId id, Resources resources) {
    limitMemory(id, resources.memoryMb() * 1024L * 1024L);
    write(file(Controller.CPU, id, "cpu.cfs_period_us"), CPU_PERIOD_MICROS);
    write(
        file(Controller.CPU, id, "cpu.cfs_quota_us"),
        (long) resources.milliCpus() * CPU_PERIOD_MICROS / 1000);
    write(file(Controller.PIDS, id, "pids.max"), resources.maxProcesses());
  }

  @Override
  Path memoryLimitOfAll() {
    return file(Controller.MEMORY, "memory.limit_in_bytes");
  }

  @Override
  long memoryOfAll() {
    return readNumber(file(Controller.MEMORY, "memory.usage_in_bytes")).orElse(0);
  }

  /** Memory with swap may never be below memory, so the order depends on the direction. */
  private void limitMemory(SandboxId id, long bytes) {
    Path memory = file(Controller.MEMORY, id, "memory.limit_in_bytes");
    Path withSwap = file(Controller.MEMORY, id, "memory.memsw.limit_in_bytes");
    if (!Files.exists(withSwap)) {
      write(memory, bytes);
    } else if (bytes > readNumber(memory).orElse(Long.MAX_VALUE)) {
      write(withSwap, bytes);
      write(memory, bytes);
    } else {
      write(memory, bytes);
      write(withSwap, bytes);
    }
  }

  @Override
  void freeze(SandboxId id) {
    Path state = file(Controller.FREEZER, id, "freezer.state");
    waitUntil(
        "sandbox " + id + " to stand still",
        () -> {
          // Written each time: a process forked meanwhile leaves the group half frozen.
          write(state, "FROZEN");
          return readLines(state).contains("FROZEN");
        });
  }

  @Override
  void thaw(SandboxId id) {
    Path state = file(Controller.FREEZER, id, "freezer.state");
    if (Files.exists(state)) {
      write(state, "THAWED");
    }
  }

  @Override
  Usage usage(SandboxId id) {
    return new Usage(
        cpu(id),
        memoryBytes(id),
        readNumber(file(Controller.MEMORY, id, "memory.max_usage_in_bytes")).orElse(0),
        (int) readNumber(file(Controller.PIDS, id, "pids.current")).orElse(0),
        oomKills(id));
  }

  @Override
  OptionalLong cpuMicros(SandboxId id) {
    OptionalLong nanos = readNumber(file(Controller.CPUACCT, id, "cpuacct.usage"));
    return nanos.isEmpty() ? nanos : OptionalLong.of(nanos.getAsLong() / 1_000);
  }

  @Override
  long memoryBytes(SandboxId id) {
    return readNumber(file(Controller.MEMORY, id, "memory.usage_in_bytes")).orElse(0);
  }

  @Override
  long oomKills(SandboxId id) {
    return readKey(file(Controller.MEMORY, id, "memory.oom_control"), "oom_kill").orElse(0);
  }

  @Override
  void killOnce(SandboxId id) {
    for (long pid : processes(id)) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }
}
