package dev.cove.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
  @TempDir private Path home;

  @Test
  void an_empty_home_has_left_nothing() throws Exception {
    assertThat(Leftovers.of(home, Set.of())).isEqualTo(new Leftovers(0, 0, 0, 0, 0, 0));
  }

  @Test
  void a_process_that_names_the_home_is_found_until_it_ends() throws Exception {
    Process process =
        new ProcessBuilder("sh", "-c", "echo ready; read -r line", "sh", home.toString()).start();
    try {
      assertThat(process.inputReader().readLine()).isEqualTo("ready");
      assertThat(Leftovers.of(home, Set.of()).processes()).isEqualTo(1);
    } finally {
      process.destroyForcibly();
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(Leftovers.of(home, Set.of()).processes()).isZero();
  }

  @Test
  void a_process_whose_own_mounts_come_from_the_home_is_found() throws Exception {
    Files.createDirectories(home.resolve("source"));
    Files.createDirectories(home.resolve("target"));
    Process process =
        new ProcessBuilder(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "cd $1 && mount --bind source target && cd / && echo ready && set -- && exec sleep 60",
                "sh",
                home.toString())
            .start();
    try {
      assertThat(process.inputReader().readLine()).isEqualTo("ready");
      assertThat(Leftovers.of(home, Set.of()).processes()).isEqualTo(1);
      assertThat(Leftovers.countMountsBelow(home)).isZero();
    } finally {
      process.destroyForcibly();
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void a_folder_or_socket_of_a_sandbox_is_found() throws Exception {
    Files.createDirectories(home.resolve("data/engine/sandboxes/abc123"));
    Files.createDirectories(home.resolve("run/s"));
    Files.createFile(home.resolve("run/s/abc123.sock"));
    assertThat(Leftovers.of(home, Set.of()).folders()).isEqualTo(2);
  }

  @Test
  void a_sandboxs_cgroup_and_the_one_above_are_found_until_they_are_removed() throws Exception {
    Path hierarchy =
        Files.isDirectory(Path.of("/sys/fs/cgroup/pids"))
            ? Path.of("/sys/fs/cgroup/pids")
            : Path.of("/sys/fs/cgroup");
    String id = "sandbox" + ProcessHandle.current().pid();
    Path above = Files.createDirectory(hierarchy.resolve("cove-bench-test-" + id));
    try {
      Path group = Files.createDirectory(above.resolve(id));
      Set<Path> seen = Leftovers.findCgroups(Set.of(id));
      assertThat(seen).containsExactlyInAnyOrder(above, group);
      Files.delete(group);
      assertThat(Leftovers.of(home, seen).cgroups()).isEqualTo(1);
    } finally {
      Files.deleteIfExists(above.resolve(id));
      Files.delete(above);
    }
  }
}
