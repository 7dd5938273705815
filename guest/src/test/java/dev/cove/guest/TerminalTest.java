package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.guest.CommandSpec.TerminalSize;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class TerminalTest {
  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private Command start(String user, String... argv) throws IOException {
    return agent
        .link()
        .start(
            new CommandSpec(
                List.of(argv),
                Map.of(),
                "/",
                user,
                true,
                Optional.of(new TerminalSize(24, 80)),
                Duration.ZERO,
                false));
  }

  private static String readUntil(InputStream in, String end) throws IOException {
    StringBuilder seen = new StringBuilder();
    byte[] chunk = new byte[1024];
    while (seen.indexOf(end) < 0) {
      int n = in.read(chunk);
      assertThat(n).as("end of terminal after: %s", seen).isPositive();
      seen.append(new String(chunk, 0, n, UTF_8));
    }
    return seen.toString();
  }

  @Test
  void a_terminal_is_the_controlling_one_and_belongs_to_the_user() throws Exception {
    try (Command command = start("1000", "sh", "-c", "tty; stat -c %u $(tty); echo x >/dev/tty")) {
      String all = ExecTest.text(command.stdout());
      assertThat(all).contains("/dev/pts/").contains("1000").endsWith("x\r\n");
      assertThat(ExecTest.exitOf(command).code()).isZero();
      assertThat(command.stderr().read()).isEqualTo(-1);
    }
  }

  @Test
  void stderr_arrives_in_stdout() throws Exception {
    try (Command command = start("root", "sh", "-c", "echo oops >&2")) {
      assertThat(ExecTest.text(command.stdout())).isEqualTo("oops\r\n");
    }
  }

  @Test
  void a_new_window_size_is_told_to_the_program() throws Exception {
    try (Command command =
        start(
            "root",
            "bash",
            "-c",
            "stty size; trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done")) {
      assertThat(readUntil(command.stdout(), "ready")).contains("24 80");
      command.resize(new TerminalSize(50, 132));
      assertThat(readUntil(command.stdout(), "132")).contains("50 132");
    }
  }

  @Test
  void the_end_of_input_is_typed() throws Exception {
    try (Command command = start("root", "sh", "-c", "stty -echo; cat; echo over")) {
      command.stdin().write("line\n".getBytes(UTF_8));
      readUntil(command.stdout(), "line");
      command.stdin().close();
      readUntil(command.stdout(), "over");
      assertThat(ExecTest.exitOf(command).code()).isZero();
    }
  }

  @Test
  void control_c_interrupts_the_program_in_front() throws Exception {
    try (Command command =
        start(
            "root",
            "bash",
            "-c",
            "trap 'echo int; exit 5' INT; echo go; while :; do sleep 0.05; done")) {
      readUntil(command.stdout(), "go");
      command.stdin().write(3);
      assertThat(ExecTest.exitOf(command).code()).isEqualTo(5);
    }
  }

  @Test
  void a_program_that_stays_on_the_terminal_does_not_delay_the_exit() throws Exception {
    try (Command command =
        start("root", "bash", "-c", "trap '' HUP; sleep 30 & echo bye; exit 6")) {
      assertThat(ExecTest.exitOf(command).code()).isEqualTo(6);
      assertThat(ExecTest.text(command.stdout())).contains("bye");
    }
  }
}
