package dev.cove.engine.container;

import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** One hierarchy for all controllers; the spawner has processes born in their group. */
final class CgroupsV2 extends Cgroups {
  private static final String CONTROLLERS = "+memory +cpu +pids";

  private final Path mount;
  private final Path group;

  CgroupsV2(Path mount, String name) {
    this.mount = mount;
    this.group = mount.resolve(name);
  }

  @Override
  List<Path> groups() {
    return List.of(group);
  }

  @Override
  String spawnerOption() {
    return "--cgroup2";
  }

  @Override
  void open() {
    write(mount.resolve("cgroup.subtree_control"), CONTROLLERS);
    makeFolder(group);
    write(group.resolve("cgroup.subtree_control"), CONTROLLERS);
  }

  private Path file(SandboxId id, String name) {
    return group.resolve(id.value()).resolve(name);
  }

  @Override
  void limit(SandboxId id, Resources resources) {
    write(file(id, "memory.max"), resources.memoryMb() * 1024L * 1024L);
    if (Files.exists(file(id, "memory.swap.max"))) {
      write(file(id, "memory.swap.max"), 0);
    }
    // One greedy command dies, not the whole sandbox.
    write(file(id, "memory.oom.group"), 0);
    long quota = (long) resources.milliCpus() * CPU_PERIOD_MICROS / 1000;
    write(file(id, "cpu.max"), quota + " " + CPU_PERIOD_MICROS);
    write(file(id, "pids.max"), resources.maxProcesses());
  }

  @Override
  Path memoryLimitOfAll() {
    return group.resolve("memory.max");
  }

  @Override
  long memoryOfAll() {
    return readNumber(group.resolve("memory.current")).orElse(0);
  }

  @Override
  void freeze(SandboxId id) {
    write(file(id, "cgroup.freeze"), 1);
    waitUntil(
        "sandbox " + id + " to stand still",
        () -> readKey(file(id, "cgroup.events"), "frozen").orElse(0) == 1);
  }

  @Override
  void thaw(SandboxId id) {
    if (Files.exists(file(id, "cgroup.freeze"))) {
      write(file(id, "cgroup.freeze"), 0);
    }
  }

  @Override
  Usage usage(SandboxId id) {
    return new Usage(
        cpu(id),
        memoryBytes(id),
        readNumber(file(id, "memory.peak")).orElse(0),
        (int) readNumber(file(id, "pids.current")).orElse(0),
        oomKills(id));
  }

  @Override
  OptionalLong cpuMicros(SandboxId id) {
    return readKey(file(id, "cpu.stat"), "usage_usec");
  }

  @Override
  long memoryBytes(SandboxId id) {
    return readNumber(file(id, "memory.current")).orElse(0);
  }

  @Override
  long oomKills(SandboxId id) {
    return readKey(file(id, "memory.events"), "oom_kill").orElse(0);
  }

  @Override
  void killOnce(SandboxId id) {
    Path kill = file(id, "cgroup.kill");
    if (Files.exists(kill)) {
      write(kill, 1);
      return;
    }
    for (long pid : processes(id)) { // before Linux 5.14
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }
}
