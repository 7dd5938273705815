package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Version 2, as far as this machine can show it: the files for limits in a plain folder, freezing
 * and killing on a real hierarchy, which needs no controllers for that.
 */
class CgroupsV2Test {
  @TempDir Path folder;
  private final SandboxId id = SandboxId.random();

  private CgroupsV2 withFiles(String... names) throws IOException {
    Path group = Files.createDirectories(folder.resolve("cove-x").resolve(id.value()));
    for (String name : names) {
      Files.createFile(group.resolve(name));
    }
    return new CgroupsV2(folder, "cove-x");
  }

  private Path file(String name) {
    return folder.resolve("cove-x").resolve(id.value()).resolve(name);
  }

  @Test
  void limits_are_written_in_the_units_of_version_2() throws IOException {
    var cgroups =
        withFiles("memory.max", "memory.swap.max", "memory.oom.group", "cpu.max", "pids.max");
    cgroups.limit(id, new Resources(1_500, 256, 64, 77));
    assertThat(file("memory.max")).hasContent("268435456");
    assertThat(file("memory.swap.max")).hasContent("0");
    assertThat(file("memory.oom.group")).hasContent("0");
    assertThat(file("cpu.max")).hasContent("150000 100000");
    assertThat(file("pids.max")).hasContent("77");
  }

  @Test
  void a_kernel_without_swap_has_no_file_for_it() throws IOException {
    var cgroups = withFiles("memory.max", "memory.oom.group", "cpu.max", "pids.max");
    cgroups.limit(id, Resources.DEFAULT);
    assertThat(file("memory.swap.max")).doesNotExist();
  }

  @Test
  void all_sandboxes_together_have_a_limit_which_is_never_below_what_they_use() throws IOException {
    var cgroups = withFiles();
    Path home = folder.resolve("cove-x");
    Files.createFile(home.resolve("memory.max"));
    Files.writeString(home.resolve("memory.current"), "5000\n");
    cgroups.limitAll(1 << 20);
    assertThat(home.resolve("memory.max")).hasContent("1048576");
    Files.writeString(home.resolve("memory.max"), "", StandardOpenOption.TRUNCATE_EXISTING);
    cgroups.limitAll(4_000);
    assertThat(home.resolve("memory.max")).hasContent("5000");
  }

  @Test
  void usage_is_read_from_the_files_of_version_2() throws IOException {
    var cgroups = withFiles();
    Files.writeString(file("cpu.stat"), "usage_usec 2500000\nuser_usec 1\n");
    Files.writeString(file("memory.current"), "1000\n");
    Files.writeString(file("memory.peak"), "2000\n");
    Files.writeString(file("memory.events"), "low 0\noom 4\noom_kill 3\noom_group_kill 0\n");
    Files.writeString(file("pids.current"), "5\n");
    assertThat(cgroups.usage(id))
        .isEqualTo(new Cgroups.Usage(Duration.ofMillis(2_500), 1000, 2000, 5, 3));
  }

  @Test
  void a_kernel_before_6_5_without_a_peak_still_reports_the_rest() throws IOException {
    var cgroups = withFiles();
    Files.writeString(file("memory.current"), "1000\n");
    assertThat(cgroups.usage(id).memoryBytes()).isEqualTo(1000);
    assertThat(cgroups.usage(id).memoryPeakBytes()).isZero();
  }

  @Test
  void processes_of_a_real_group_are_frozen_thawed_and_killed() throws Exception {
    Optional<Path> mount = CgroupLayout.read().v2();
    assumeTrue(mount.isPresent(), "This machine has no cgroup v2 hierarchy mounted");
    var cgroups = new CgroupsV2(mount.get(), "cove-test-" + id);
    Path group = cgroups.groups().getFirst();
    Files.createDirectories(group.resolve(id.value()));
    var busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
    try {
      Cgroups.write(group.resolve(id.value()).resolve("cgroup.procs"), busy.pid());
      assertThat(cgroups.processes(id)).containsExactly(busy.pid());
      assertThat(cgroups.present()).containsExactly(id);

      cgroups.freeze(id);
      var frozen = busy.info().totalCpuDuration().orElseThrow();
      Thread.sleep(200); // the time in which a busy loop would show
      assertThat(busy.info().totalCpuDuration().orElseThrow()).isEqualTo(frozen);

      cgroups.thaw(id);
      Cgroups.waitUntil(
          "the loop to go on",
          () -> busy.info().totalCpuDuration().orElseThrow().compareTo(frozen) > 0);

      cgroups.freeze(id);
      cgroups.killAll(id);
      assertThat(busy.waitFor(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      busy.destroyForcibly();
      busy.waitFor();
      cgroups.remove(id);
      cgroups.close();
    }
    assertThat(group).doesNotExist();
  }

  @Test
  void limits_hold_on_a_real_hierarchy() throws IOException {
    var layout = CgroupLayout.read();
    assumeTrue(
        layout.isV2(),
        "Not shown: memory, cpu and pids limits of cgroup v2 on a real kernel. This machine has"
            + " their controllers on v1");
    var cgroups = layout.cgroups("cove-test-" + id);
    try {
      cgroups.open();
      cgroups.create(id, Resources.DEFAULT);
      assertThat(cgroups.groups().getFirst().resolve(id.value()).resolve("pids.max"))
          .hasContent("512");
    } finally {
      cgroups.remove(id);
      cgroups.close();
    }
  }
}
