package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class ExecTest {
  @RegisterExtension final RunningAgent agent = new RunningAgent();

  static CommandSpec shell(String script) {
    return CommandSpec.of("/bin/sh", "-c", script);
  }

  static CommandSpec withInput(String... argv) {
    return new CommandSpec(
        List.of(argv), Map.of(), "/", "root", true, Optional.empty(), Duration.ZERO, false);
  }

  static CommandExit exitOf(Command command) throws Exception {
    return command.exit().get(20, TimeUnit.SECONDS);
  }

  static String text(java.io.InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), UTF_8);
  }

  @Test
  void a_command_gives_its_output_and_exit_code() throws Exception {
    try (Command command = agent.link().start(shell("echo out; echo err >&2; exit 7"))) {
      assertThat(text(command.stdout())).isEqualTo("out\n");
      assertThat(text(command.stderr())).isEqualTo("err\n");
      CommandExit exit = exitOf(command);
      assertThat(exit.code()).isEqualTo(7);
      assertThat(exit.signal()).isZero();
      assertThat(exit.duration()).isPositive();
    }
  }

  @Test
  void a_command_that_ends_by_signal_reports_it() throws Exception {
    try (Command command = agent.link().start(shell("kill -9 $$"))) {
      CommandExit exit = exitOf(command);
      assertThat(exit.signal()).isEqualTo(9);
      assertThat(exit.code()).isEqualTo(137);
    }
  }

  @Test
  void a_program_that_does_not_exist_is_refused_by_name() throws Exception {
    GuestLink link = agent.link();
    assertThatThrownBy(() -> link.start(CommandSpec.of("no-such-program")))
        .isInstanceOf(GuestException.class)
        .hasMessageContaining("no-such-program")
        .extracting(e -> ((GuestException) e).code())
        .isEqualTo(ErrorCode.GUEST_REFUSED);
  }

  @Test
  void a_command_reads_its_input_to_the_end() throws Exception {
    try (Command command = agent.link().start(withInput("wc", "-c"))) {
      command.stdin().write(new byte[300_000]);
      command.stdin().close();
      assertThat(text(command.stdout()).trim()).isEqualTo("300000");
      assertThat(exitOf(command).code()).isZero();
    }
  }
}
