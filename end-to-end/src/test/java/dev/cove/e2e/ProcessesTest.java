package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.ExitStatus;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Commands that outlive a request, and those in a terminal. */
class ProcessesTest {
  private static final int KEPT = 1 << 20;

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static Sandbox box;

  @BeforeAll
  static void create() {
    box = server.create();
  }

  @AfterAll
  static void delete() {
    box.close();
  }

  @Test
  void a_detached_command_is_listed_until_it_ends_and_its_exit_code_is_kept() {
    Command command = Command.shell("while ! [ -e /tmp/end ]; do sleep 0.02; done; exit 7");
    ProcessInfo started = box.spawn(command.user("root").cwd("/tmp"));
    assertThat(started.running()).isTrue();
    assertThat(started.pid()).isPositive();
    assertThat(started.user()).isEqualTo("root");
    assertThat(started.cwd()).isEqualTo("/tmp");
    assertThat(started.terminal()).isFalse();
    assertThat(started.command().getFirst()).isEqualTo("sh");
    assertThat(box.processes()).anyMatch(one -> one.processId() == started.processId());
    box.files().write("/tmp/end", "");
    Awaitility.await().until(() -> !box.requireProcess(started.processId()).running());
    assertThat(box.requireProcess(started.processId()).exit().map(ExitStatus::exitCode))
        .isEqualTo(Optional.of(7));
  }

  @Test
  void who_attaches_late_gets_the_last_mebibyte_and_then_the_rest() throws IOException {
    String script = "seq 1 400000; touch /tmp/counted; read line; echo last words: $line; exit 5";
    ProcessInfo process = box.spawn(Command.shell(script).openStdin());
    Awaitility.await("all to be written")
        .atMost(Duration.ofSeconds(30))
        .until(() -> box.files().exists("/tmp/counted"));
    String all =
        IntStream.rangeClosed(1, 400_000)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining("\n", "", "\n"));
    String expected = all.substring(all.length() - KEPT);
    try (RunningCommand attached = box.attach(process.processId())) {
      assertThat(attached.processId()).isEqualTo(process.processId());
      byte[] replayed = attached.stdout().readNBytes(KEPT);
      assertThat(new String(replayed, StandardCharsets.UTF_8).equals(expected))
          .as("the replay is the last mebibyte of the output")
          .isTrue();
      attached.stdin().write("goodbye\n".getBytes(StandardCharsets.UTF_8));
      assertThat(attached.stdout().readAllBytes()).asString().isEqualTo("last words: goodbye\n");
      assertThat(attached.waitFor().exitCode()).isEqualTo(5);
    }
  }

  @Test
  void the_output_of_a_command_that_has_ended_can_still_be_read() throws IOException {
    ProcessInfo process = box.spawn(Command.shell("echo out; echo err >&2; exit 3"));
    Awaitility.await().until(() -> !box.requireProcess(process.processId()).running());
    for (int reader = 0; reader < 2; reader++) {
      try (RunningCommand attached = box.attach(process.processId())) {
        assertThat(attached.stdout().readAllBytes()).asString().isEqualTo("out\n");
        assertThat(attached.stderr().readAllBytes()).asString().isEqualTo("err\n");
        assertThat(attached.waitFor().exitCode()).isEqualTo(3);
      }
    }
  }

  @Test
  void closing_a_connection_leaves_a_command_that_was_told_to_keep_running() throws IOException {
    long id;
    try (RunningCommand first =
        box.start(Command.shell("echo one; read x; echo two").openStdin().keepRunning())) {
      id = first.processId();
      assertThat(first.stdout().readNBytes(4)).asString().isEqualTo("one\n");
    }
    assertThat(box.requireProcess(id).running()).isTrue();
    try (RunningCommand again = box.attach(id)) {
      again.stdin().write('\n');
      assertThat(again.stdout().readAllBytes()).asString().isEqualTo("one\ntwo\n");
    }
  }

  @Test
  void closing_the_connection_of_any_other_command_ends_it() throws IOException {
    long id;
    try (RunningCommand command = box.start(Command.shell("echo up; exec sleep 600"))) {
      id = command.processId();
      assertThat(command.stdout().readNBytes(3)).asString().isEqualTo("up\n");
    }
    Awaitility.await("the command to be gone")
        .atMost(Duration.ofSeconds(15))
        .until(() ->
            box.processes().stream().noneMatch(one -> one.processId() == id && one.running()));
  }

  @Test
  void a_signal_reaches_the_command_and_all_that_it_started() throws IOException {
    String script =
        """
        sh -c 'trap "echo child got it; exit" USR1; echo child up; while :; do sleep 0.02; done' &
        trap 'echo parent got it' USR1
        wait
        wait
        """;
    try (RunningCommand command = box.start(Command.shell(script))) {
      assertThat(command.stdout().readNBytes(9)).asString().isEqualTo("child up\n");
      command.signal("USR1");
      assertThat(command.stdout().readAllBytes())
          .asString()
          .contains("child got it\n")
          .contains("parent got it\n");
      assertThat(command.waitFor().exitCode()).isZero();
    }
  }

  @Test
  void a_command_can_be_killed_and_forgotten() {
    ProcessInfo process = box.spawn(Command.of("sleep", "600"));
    box.signal(process.processId(), "SIGTERM");
    Awaitility.await().until(() -> !box.requireProcess(process.processId()).running());
    assertThat(box.requireProcess(process.processId()).exit().flatMap(ExitStatus::signal))
        .isEqualTo(Optional.of("SIGTERM"));
    box.kill(process.processId());
    assertRefused(404, "not_found", () -> box.requireProcess(process.processId()));
    assertRefused(404, "not_found", () -> box.signal(987_654_321, "TERM"));
  }

  @Test
  void a_terminal_has_the_size_of_the_window_and_follows_it() throws IOException {
    try (RunningCommand shell = box.start(Command.of("sh").terminal(24, 80))) {
      var screen =
          new BufferedReader(new InputStreamReader(shell.stdout(), StandardCharsets.UTF_8));
      type(shell, "tty; stty size\n");
      expectLine(screen, "24 80");
      shell.resize(41, 123);
      type(shell, "stty size\n");
      expectLine(screen, "41 123");
      type(shell, "exit 9\n");
      assertThat(shell.waitFor().exitCode()).isEqualTo(9);
    }
  }

  @Test
  void a_program_in_a_terminal_hears_of_a_new_size() throws IOException {
    String script = "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.02; done";
    try (RunningCommand command = box.start(Command.shell(script).terminal(10, 20))) {
      var screen =
          new BufferedReader(new InputStreamReader(command.stdout(), StandardCharsets.UTF_8));
      expectLine(screen, "ready");
      command.resize(30, 60);
      expectLine(screen, "30 60");
    }
  }

  @Test
  void control_c_in_a_terminal_interrupts_and_control_d_ends_the_input() throws IOException {
    try (RunningCommand shell = box.start(Command.of("sh").terminal(24, 80))) {
      var screen =
          new BufferedReader(new InputStreamReader(shell.stdout(), StandardCharsets.UTF_8));
      type(shell, "echo begin; sleep 600\n");
      expectLine(screen, "begin");
      type(shell, "\u0003");
      type(shell, "echo after $?\n");
      expectLine(screen, "after 130");
      type(shell, "\u0004");
      assertThat(shell.waitFor(Duration.ofSeconds(20))).isPresent();
    }
  }

  @Test
  void in_a_terminal_errors_come_with_the_output() throws IOException {
    try (RunningCommand command =
        box.start(Command.shell("test -t 0 && test -t 2 && echo err >&2").terminal(24, 80))) {
      try (InputStream screen = command.stdout()) {
        assertThat(screen.readAllBytes()).asString().isEqualTo("err\r\n");
      }
    }
  }

  private static void type(RunningCommand shell, String keys) throws IOException {
    shell.stdin().write(keys.getBytes(StandardCharsets.UTF_8));
  }

  private static void expectLine(BufferedReader screen, String wanted) throws IOException {
    var seen = new StringBuilder();
    for (String line = screen.readLine(); line != null; line = screen.readLine()) {
      if (line.strip().endsWith(wanted) && !line.contains("echo")) {
        return;
      }
      seen.append(line).append('\n');
    }
    throw new AssertionError("The screen never showed " + wanted + " but: " + seen);
  }
}
