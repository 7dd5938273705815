package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Sandbox;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LimitsTest {
  private static final int MAX_SANDBOXES = 4;

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(Map.of("COVE_MAX_SANDBOXES", "" + MAX_SANDBOXES, "COVE_POOL_SIZE", "1"));

  @Test
  void a_command_that_takes_more_memory_than_allowed_is_killed_and_the_reason_is_told() {
    try (Sandbox box = server.create(CreateOptions.defaults().memoryMb(96))) {
      ExecResult result = box.exec("python3", "-c", "x = bytearray(400 << 20); print(len(x))");
      assertThat(result.exit().oomKilled()).isTrue();
      assertThat(result.exit().signal()).isEqualTo(Optional.of("SIGKILL"));
      assertThat(result.exitCode()).isEqualTo(137);
      assertThat(result.stdout()).isEmpty();
      assertThat(box.metrics().memory().limitBytes()).isEqualTo(96L << 20);
      assertThat(box.metrics().oomKills()).isPositive();
      assertThat(box.exec("echo", "still here").stdout()).isEqualTo("still here\n");
    }
  }

  @Test
  void a_command_that_somebody_kills_is_not_said_to_lack_memory() {
    try (Sandbox box = server.create()) {
      ExecResult result = box.exec("sh", "-c", "kill -9 $$");
      assertThat(result.exit().signal()).isEqualTo(Optional.of("SIGKILL"));
      assertThat(result.exit().oomKilled()).isFalse();
    }
  }

  @Test
  void a_busy_command_gets_no_more_than_its_share_of_a_cpu() {
    try (Sandbox box = server.create(CreateOptions.defaults().cpus(0.2))) {
      String spin =
          """
          import time
          end = time.monotonic() + 2
          while time.monotonic() < end: pass
          print(time.process_time())
          """;
      double used = Double.parseDouble(box.exec("python3", "-c", spin).stdout().strip());
      assertThat(used).as("seconds of cpu in two seconds").isLessThan(0.8);
      assertThat(box.metrics().cpu().limit()).isEqualTo(0.2);
      assertThat(box.metrics().cpu().usedSeconds()).isBetween(0.01, 5.0);
    }
  }

  @Test
  void more_processes_than_allowed_cannot_be_started() {
    try (Sandbox box = server.create(CreateOptions.defaults().maxProcesses(20))) {
      String breed =
          """
          import os, signal, time
          children = []
          try:
            for _ in range(200):
              pid = os.fork()
              if pid == 0:
                time.sleep(600)
              children.append(pid)
          except BlockingIOError:
            pass
          print(len(children))
          for pid in children: os.kill(pid, signal.SIGKILL)
          """;
      int children = Integer.parseInt(box.exec("python3", "-c", breed).stdout().strip());
      assertThat(children).isBetween(5, 20);
      assertThat(box.metrics().processes().limit()).isEqualTo(20);
      assertThat(box.exec("true").exitCode()).isZero();
    }
  }

  @Test
  void the_disk_of_a_sandbox_has_the_size_that_was_asked_for() {
    assumeTrue(server.cove().system().diskLimits(), "this host cannot limit disk space");
    try (Sandbox box = server.create(CreateOptions.defaults().diskMb(64))) {
      ExecResult fill = box.exec("sh", "-c", "head -c 200M /dev/zero > /home/user/fill");
      assertThat(fill.exitCode()).isNotZero();
      assertThat(fill.stderr()).contains("No space left on device");
      assertThat(box.metrics().disk().limitBytes()).isBetween(32L << 20, 64L << 20);
      assertThat(box.metrics().disk().usedBytes()).isGreaterThan(32L << 20);
      assertThat(box.exec("sh", "-c", "rm ~/fill && echo ok > ~/small").exitCode()).isZero();
    }
  }

  @Test
  void a_size_that_no_sandbox_can_have_is_refused() {
    for (CreateOptions impossible :
        List.of(
            CreateOptions.defaults().memoryMb(-1),
            CreateOptions.defaults().memoryMb(0),
            CreateOptions.defaults().cpus(0),
            CreateOptions.defaults().cpus(1e9),
            CreateOptions.defaults().maxProcesses(Integer.MAX_VALUE),
            CreateOptions.defaults().diskMb(1))) {
      assertRefused(400, "invalid_request", () -> server.create(impossible).close());
    }
  }

  @Test
  void a_full_server_refuses_creates_until_there_is_room_again() throws Exception {
    List<Optional<Sandbox>> tried =
        AtOnce.times(
            20,
            _ -> {
              try {
                return Optional.of(server.create());
              } catch (CoveApiException e) {
                assertThat(e.status()).isEqualTo(503);
                assertThat(e.code()).isEqualTo("no_room");
                return Optional.empty();
              }
            });
    List<Sandbox> made = tried.stream().flatMap(Optional::stream).toList();
    try {
      assertThat(made).hasSize(MAX_SANDBOXES);
      assertThat(server.cove().system().sandboxes()).isEqualTo(MAX_SANDBOXES);
      assertRefused(503, "no_room", () -> server.create().close());
      made.getFirst().delete();
      try (Sandbox fits = server.create()) {
        assertThat(fits.exec("echo", "in").stdout()).isEqualTo("in\n");
      }
    } finally {
      made.forEach(Sandbox::close);
    }
  }

  @Test
  void what_a_sandbox_uses_is_counted() {
    try (Sandbox box = server.create(CreateOptions.defaults().memoryMb(512))) {
      long before = box.metrics().processes().count();
      for (int i = 0; i < 10; i++) {
        box.spawn(Command.of("sleep", "600"));
      }
      box.exec("sh", "-c", "head -c 20M /dev/urandom > /home/user/blob; sync");
      var metrics = box.metrics();
      // The agent may have threads of its own at times.
      assertThat(metrics.processes().count()).isBetween(before + 10, before + 15);
      assertThat(metrics.disk().usedBytes()).isGreaterThan(20L << 20);
      assertThat(metrics.disk().inodesUsed()).isPositive();
      assertThat(metrics.memory().usedBytes()).isBetween(1L, 512L << 20);
      assertThat(metrics.memory().peakBytes()).isGreaterThanOrEqualTo(metrics.memory().usedBytes());
    }
  }
}
