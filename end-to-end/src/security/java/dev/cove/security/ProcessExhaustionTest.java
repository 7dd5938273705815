package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.SandboxMetrics;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Taking all processes, threads, descriptors, terminals or processor time there are. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ProcessExhaustionTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final int PROCESSES = 128;
  private static final String BOMB =
      """
      import os
      while True:
          try:
              os.fork()
          except OSError:
              pass
      """;
  private static final Duration REMOVAL = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @SuppressWarnings("NullAway.Init") // set before every test
  private Bystander bystander;

  @BeforeEach
  void start() {
    bystander = Bystander.in(SERVER.cove());
  }

  @AfterEach
  void end() {
    bystander.close();
  }

  private static Intruder intruder() {
    return Intruder.in(
        SERVER.cove(), CreateOptions.defaults().maxProcesses(PROCESSES).memoryMb(512).cpus(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_fork_bomb_stops_at_the_limit_and_ends_with_its_sandbox(String user) throws Exception {
    Intruder intruder = intruder();
    String id = intruder.id();
    try (intruder) {
      bystander.unharmedBy(() -> {
        // A shell's bomb dies of its own failures; this one takes every place that comes free.
        intruder.box().spawn(Command.of("python3", "-c", BOMB).user(user));
        Awaitility.await("the bomb to reach the limit")
            .atMost(PATIENCE)
            .until(() -> intruder.box().metrics().processes().count() >= PROCESSES - 8);
        SandboxMetrics.Processes processes = intruder.box().metrics().processes();
        assertThat(processes.limit()).isEqualTo(PROCESSES);
        assertThat(processes.count()).isLessThanOrEqualTo(PROCESSES);
        assertThat(HostView.processesOf(id)).hasSizeLessThanOrEqualTo(PROCESSES);

        long start = System.nanoTime();
        intruder.close();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(REMOVAL);
      });
    }
    Awaitility.await().untilAsserted(() -> assertThat(HostView.processesOf(id)).isEmpty());
  }

  @Test
  void a_sandbox_full_of_processes_answers_and_can_be_used_again() {
    try (Intruder intruder = intruder()) {
      try (RunningCommand full =
          intruder
              .box()
              .start(
                  Command.shell(
                      "i=0; while [ $i -lt 1000 ]; do sleep 300 & i=$((i+1)); done; wait"))) {
        Awaitility.await()
            .atMost(PATIENCE)
            .until(() -> intruder.box().metrics().processes().count() >= PROCESSES - 4);
        // No room for a process more: a refusal, but an answer, and the file system still works.
        try {
          intruder.run("user", "true");
        } catch (CoveApiException e) {
          assertThat(e.status()).as(e.detail()).isBetween(400, 503);
        }
        full.signal("KILL");
      }
      Awaitility.await()
          .atMost(PATIENCE)
          .ignoreException(CoveApiException.class)
          .untilAsserted(intruder::assertUsable);
    }
  }

  @Test
  void threads_count_as_processes() throws Exception {
    try (Intruder intruder = intruder()) {
      long taken = take(intruder, "threads", 100_000);
      assertThat(taken).isBetween(PROCESSES / 2L, (long) PROCESSES);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "files, 65536",
    "ptys, 4096",
    "pipes, 32768",
    "inotify, 65536",
    "epoll, 65536",
    "timers, 200000"
  })
  void one_sandbox_cannot_take_all_that_the_host_has(String what, long most) throws Exception {
    try (Intruder intruder = intruder()) {
      bystander.unharmedBy(() -> {
        long taken = take(intruder, what, 1_000_000);
        assertThat(taken).as("%s taken", what).isBetween(1L, most);
      });
      intruder.assertUsable();
    }
  }

  /** While they are held, the neighbour opens a terminal and files of its own. */
  private long take(Intruder intruder, String what, int wanted) throws Exception {
    String exhaust = intruder.install("exhaust");
    try (RunningCommand holder =
        intruder
            .box()
            .start(
                Command.of(exhaust, what, String.valueOf(wanted)).openStdin().timeout(PATIENCE))) {
      var lines =
          new BufferedReader(new InputStreamReader(holder.stdout(), StandardCharsets.UTF_8));
      String said = lines.readLine();
      if (said == null) {
        // The memory limit may come before the limit in question; that is a limit as well.
        assertThat(holder.waitFor().oomKilled()).as("%s ended without a word", what).isTrue();
        return 1;
      }
      try (RunningCommand terminal =
          bystander.box().start(Command.shell("tty").terminal(24, 80).timeout(PATIENCE))) {
        assertThat(new String(terminal.stdout().readAllBytes(), StandardCharsets.UTF_8))
            .contains("/dev/pts/");
      }
      bystander.box().files().write("/tmp/own", "own");
      return Long.parseLong(said.substring("took ".length()));
    }
  }

  @Test
  void four_sandboxes_that_hoard_terminals_leave_some_for_the_fifth() throws Exception {
    try (Intruder first = intruder();
        Intruder second = intruder();
        Intruder third = intruder();
        Intruder fourth = intruder()) {
      for (Intruder intruder : List.of(first, second, third, fourth)) {
        String exhaust = intruder.install("exhaust");
        RunningCommand holder =
            intruder
                .box()
                .start(Command.of(exhaust, "ptys", "100000").openStdin().timeout(PATIENCE));
        var lines =
            new BufferedReader(new InputStreamReader(holder.stdout(), StandardCharsets.UTF_8));
        assertThat(lines.readLine()).startsWith("took ");
      }
      try (RunningCommand terminal =
          bystander.box().start(Command.shell("tty").terminal(24, 80).timeout(PATIENCE))) {
        assertThat(new String(terminal.stdout().readAllBytes(), StandardCharsets.UTF_8))
            .contains("/dev/pts/");
      }
    }
  }

  @Test
  void a_hundred_thousand_orphans_are_reaped() throws Exception {
    try (Intruder intruder =
        Intruder.in(SERVER.cove(), CreateOptions.defaults().maxProcesses(512).cpus(1))) {
      String orphans = intruder.install("orphans");
      assertThat(intruder.run("user", orphans, "200").stdout()).isEqualTo("orphans 200\n");

      bystander.unharmedBy(() -> {
        ExecResult result =
            intruder.box().exec(Command.of(orphans, "100000").timeout(Duration.ofSeconds(90)));
        assertThat(result.stdout()).matches("orphans 100[0-9]{3}\n");
      });

      Awaitility.await("all orphans to be reaped")
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> assertThat(HostView.processesOf(intruder.id())).hasSize(1));
      intruder.assertUsable();
    }
  }

  @Test
  void commands_that_ignore_signals_and_leave_their_session_end_with_the_sandbox()
      throws Exception {
    Intruder intruder = intruder();
    String id = intruder.id();
    try (intruder) {
      intruder.must(
          "user",
          "for i in 1 2 3 4 5; do"
              + " setsid sh -c 'trap \"\" TERM INT HUP; while :; do sleep 1; done' > /dev/null 2>&1 &"
              + " done");
      assertThat(HostView.processesOf(id).size()).isGreaterThanOrEqualTo(6);
    }
    Awaitility.await()
        .atMost(REMOVAL)
        .untilAsserted(() -> assertThat(HostView.processesOf(id)).isEmpty());
  }

  @Test
  void sixty_four_spinning_threads_get_no_more_than_their_share() throws Exception {
    try (Intruder intruder =
        Intruder.in(SERVER.cove(), CreateOptions.defaults().cpus(0.5).maxProcesses(128))) {
      bystander.unharmedBy(() -> {
        RunningCommand spin =
            intruder
                .box()
                .start(Command.shell("for i in $(seq 64); do (while :; do :; done) & done; wait"));
        try (spin) {
          Awaitility.await()
              .atMost(PATIENCE)
              .until(() -> intruder.box().metrics().processes().count() >= 64);
          double before = intruder.box().metrics().cpu().usedSeconds();
          long start = System.nanoTime();
          Awaitility.await()
              .atMost(PATIENCE)
              .until(() -> System.nanoTime() - start > TimeUnit.SECONDS.toNanos(4));
          double wall = (System.nanoTime() - start) / 1e9;
          double used = intruder.box().metrics().cpu().usedSeconds() - before;
          assertThat(used / wall).as("cpus used").isLessThan(0.65);
          spin.signal("KILL");
        }
      });
    }
  }

  @Test
  void the_host_has_its_file_handles_back_afterwards() throws IOException {
    long before = openOnHost();
    try (Intruder intruder = intruder()) {
      intruder.must(
          "user",
          "python3 -c 'import os; [os.open(\"/dev/null\", 0) for _ in range(4000)]; os.fork()'");
    }
    Awaitility.await().until(() -> openOnHost() < before + 3_000);
  }

  private static long openOnHost() throws IOException {
    return Long.parseLong(Files.readString(Path.of("/proc/sys/fs/file-nr")).split("\\s")[0]);
  }
}
