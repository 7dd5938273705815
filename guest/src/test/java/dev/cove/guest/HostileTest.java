package dev.cove.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What commands may do to the agent that started them. */
@Timeout(120)
class HostileTest {
  @RegisterExtension final RunningAgent agent = new RunningAgent("--caps", "21"); // CHOWN, KILL

  private static CommandSpec root(String... argv) {
    return new CommandSpec(
        List.of(argv), Map.of(), "/", "root", false, Optional.empty(), Duration.ZERO, false);
  }

  private static String output(GuestLink link, String... argv) throws Exception {
    try (Command command = link.start(root(argv))) {
      String all = ExecTest.text(command.stdout());
      ExecTest.exitOf(command);
      return all.trim();
    }
  }

  @Test
  void root_keeps_only_the_capabilities_it_was_given() throws Exception {
    String caps = output(agent.link(), "grep", "^Cap", "/proc/self/status");
    assertThat(caps)
        .contains("CapEff:\t0000000000000021")
        .contains("CapPrm:\t0000000000000021")
        .contains("CapBnd:\t0000000000000021")
        .contains("CapInh:\t0000000000000000")
        .contains("CapAmb:\t0000000000000000");
  }

  @Test
  void a_command_is_preferred_when_memory_runs_out_and_leaves_no_core() throws Exception {
    GuestLink link = agent.link();
    assertThat(output(link, "cat", "/proc/self/oom_score_adj")).isEqualTo("500");
    assertThat(output(link, "sh", "-c", "ulimit -c; ulimit -H -c")).isEqualTo("0\n0");
    assertThat(Files.readString(Path.of("/proc/" + agent.pid() + "/oom_score_adj")).trim())
        .isNotEqualTo("500");
  }

  @Test
  void ten_thousand_orphans_are_reaped_while_others_are_served() throws Exception {
    GuestLink link = agent.link();
    String script =
        """
        import os
        for i in range(20):
            if os.fork() == 0:
                for j in range(500):
                    if os.fork() == 0: os._exit(0)
                os._exit(0)
        """;
    try (Command bomb = link.start(root("python3", "-c", script))) {
      for (int i = 0; i < 10; i++) {
        long before = System.nanoTime();
        assertThat(output(link, "echo", "here")).isEqualTo("here");
        assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(10));
      }
      ExecTest.exitOf(bomb);
    }
    Await.until("every orphan is reaped", () -> agent.children() == 0);
    assertThat(agent.residentKilobytes()).isLessThan(3 * 1024);
  }

  @Test
  void when_no_process_can_be_made_the_answer_is_quick_and_the_agent_lives() throws Exception {
    PidsLimit limit = PidsLimit.around(agent.pid(), 20);
    Assumptions.assumeTrue(limit.works(), "needs a cgroup with the pids controller");
    try (limit) {
      GuestLink link = agent.link();
      String script =
          """
          import os, time
          while True:
              try:
                  if os.fork() == 0: time.sleep(1000)
              except OSError:
                  time.sleep(0.05)
          """;
      Command bomb = link.start(root("python3", "-c", script));
      Await.until("the bomb has filled it", () -> limit.current() >= 20);
      assertThatThrownBy(() -> link.start(root("true")))
          .isInstanceOf(GuestException.class)
          .hasMessageContaining("no room for another process");
      assertThat(link.processes()).isNotEmpty();
      bomb.close();
      Await.until("the bomb is gone", () -> limit.current() <= 1);
      assertThat(output(link, "echo", "again")).isEqualTo("again");
    }
  }

  @Test
  void figures_of_the_machine_are_plausible() throws Exception {
    GuestMetrics metrics = agent.link().metrics();
    assertThat(metrics.cpu()).isPositive();
    assertThat(metrics.memoryBytes()).isGreaterThan(1 << 20);
    assertThat(metrics.processes()).isGreaterThan(2);
    assertThat(metrics.diskUsedBytes()).isBetween(1L, metrics.diskTotalBytes());
    assertThat(metrics.inodesUsed()).isBetween(1L, metrics.inodesTotal());
  }

  /** A cgroup with a limit on processes, of either version. */
  private record PidsLimit(Path folder) implements AutoCloseable {
    static PidsLimit around(long pid, int max) throws IOException {
      Path v1 = Path.of("/sys/fs/cgroup/pids");
      Path base = Files.isDirectory(v1) ? v1 : Path.of("/sys/fs/cgroup");
      Path folder = base.resolve("cove-guest-test-" + pid);
      try {
        Files.createDirectory(folder);
        Files.writeString(folder.resolve("pids.max"), String.valueOf(max));
        Files.writeString(folder.resolve("cgroup.procs"), String.valueOf(pid));
      } catch (IOException e) {
        Files.deleteIfExists(folder);
      }
      return new PidsLimit(folder);
    }

    boolean works() {
      return Files.exists(folder.resolve("pids.max"));
    }

    int current() throws IOException {
      return Integer.parseInt(Files.readString(folder.resolve("pids.current")).trim());
    }

    @Override
    public void close() throws IOException {
      // The agent goes back where it was; whatever else is left was killed with its group.
      String procs = Files.readString(folder.resolve("cgroup.procs"));
      for (String pid : procs.split("\n")) {
        if (!pid.isBlank()) {
          Files.writeString(folder.resolveSibling("cgroup.procs"), pid);
        }
      }
      Files.delete(folder);
    }
  }
}
