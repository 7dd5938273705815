package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The agent as pid 1 of a root with nothing else in it. */
@Timeout(60)
class EmptyRootTest {
  @RegisterExtension final RunningAgent agent = RunningAgent.inAnEmptyRoot();

  private static CommandSpec as(String user, String... argv) {
    return new CommandSpec(
        List.of(argv), Map.of(), "/", user, false, Optional.empty(), Duration.ZERO, false);
  }

  @Test
  void a_program_that_is_there_runs_and_ends() throws Exception {
    // The only program there is: the agent, which without arguments says how it is used.
    try (Command command = agent.link().start(as("root", "/cove-agent"))) {
      assertThat(ExecTest.text(command.stderr())).startsWith("usage: cove-agent");
      assertThat(ExecTest.exitOf(command).code()).isEqualTo(64);
      assertThat(command.pid()).isEqualTo(2);
    }
  }

  @Test
  void the_default_user_is_known_without_a_user_database() throws Exception {
    GuestLink link = agent.link();
    try (Command command = link.start(as("user", "/cove-agent"))) {
      assertThat(ExecTest.exitOf(command).code()).isEqualTo(64);
    }
    GuestFiles files = link.files("user");
    FileInfo info =
        files.write(
            "/work/f", new ByteArrayInputStream("x".getBytes(UTF_8)), OptionalInt.empty(), false);
    assertThat(info.uid()).isEqualTo(1000);
    assertThat(info.gid()).isEqualTo(1000);
    assertThatThrownBy(() -> link.start(as("somebody", "/cove-agent")))
        .hasMessageContaining("somebody");
  }

  @Test
  void what_is_missing_is_named() throws Exception {
    GuestLink link = agent.link();
    assertThatThrownBy(() -> link.start(as("root", "sh")))
        .hasMessageContaining("The program sh was not found in PATH");
    assertThatThrownBy(() ->
            link.start(
                new CommandSpec(
                    List.of("/cove-agent"),
                    Map.of(),
                    "/",
                    "root",
                    true,
                    Optional.of(new CommandSpec.TerminalSize(24, 80)),
                    Duration.ZERO,
                    false)))
        .isInstanceOf(GuestException.class);
  }

  @Test
  void files_and_figures_work_without_proc_and_dev() throws Exception {
    GuestLink link = agent.link();
    GuestFiles files = link.files("root");
    files.mkdir("/a/b", 0755, true);
    files.symlink("/a/link", "b");
    files.chmod("/a/b", 0700);
    files.move("/a/b", "/a/c", false);
    assertThat(files.list("/a", 5, 10).entries())
        .extracting(FileInfo::path)
        .containsExactlyInAnyOrder("/a/c", "/a/link");
    files.remove("/a", true);
    assertThat(link.metrics().diskTotalBytes()).isPositive();
    assertThat(link.metrics().processes()).isZero();
  }

  @Test
  void pid_1_is_not_ended_by_what_its_commands_may_send() throws Exception {
    GuestLink link = agent.link();
    for (String signal : new String[] {"TERM", "INT", "HUP", "QUIT", "SEGV", "PIPE", "USR1"}) {
      new ProcessBuilder("kill", "-" + signal, String.valueOf(agent.pid())).start().waitFor();
    }
    assertThat(link.processes()).isEmpty();
    assertThat(agent.isAlive()).isTrue();
  }
}
