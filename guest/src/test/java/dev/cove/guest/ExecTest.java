package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

  static String text(InputStream stream) throws IOException {
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

  private static CommandSpec as(String user, String cwd, String... argv) {
    return new CommandSpec(
        List.of(argv), Map.of(), cwd, user, false, Optional.empty(), Duration.ZERO, false);
  }

  private String output(CommandSpec spec) throws Exception {
    try (Command command = agent.link().start(spec)) {
      String all = text(command.stdout());
      exitOf(command);
      return all.trim();
    }
  }

  private void assertRefused(CommandSpec spec, String part) throws Exception {
    GuestLink link = agent.link();
    assertThatThrownBy(() -> link.start(spec))
        .isInstanceOf(GuestException.class)
        .hasMessageContaining(part)
        .extracting(e -> ((GuestException) e).code())
        .isEqualTo(ErrorCode.GUEST_REFUSED);
  }

  @Test
  void a_command_without_input_reads_from_dev_null() throws Exception {
    assertThat(output(as("root", "/", "readlink", "/proc/self/fd/0"))).isEqualTo("/dev/null");
  }

  @Test
  void a_command_has_three_descriptors_and_a_session_of_its_own() throws Exception {
    assertThat(output(as("root", "/", "ls", "/proc/self/fd")).split("\\s+"))
        .containsExactly("0", "1", "2", "3"); // 3 is the folder that ls has open
    assertThat(output(as("root", "/", "sh", "-c", "test $(ps -o sid= -p $$) = $$ && echo own")))
        .isEqualTo("own");
  }

  @Test
  void signals_are_as_a_fresh_program_expects_them() throws Exception {
    String status = output(as("root", "/", "grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"));
    assertThat(status).contains("SigBlk:\t0000000000000000").contains("SigIgn:\t0000000000000000");
  }

  @Test
  void the_environment_is_what_was_given_plus_defaults() throws Exception {
    CommandSpec spec =
        new CommandSpec(
            List.of("env"),
            Map.of("A", "1 2", "TERM", "vt52"),
            "/",
            "54321",
            false,
            Optional.empty(),
            Duration.ZERO,
            false);
    String[] lines = output(spec).split("\n");
    assertThat(lines)
        .contains("A=1 2", "TERM=vt52", "HOME=/", "USER=54321", "LOGNAME=54321")
        .contains("SHELL=/bin/sh")
        .anyMatch(line -> line.startsWith("PATH=/usr/local/sbin:"))
        .hasSize(7);
  }

  @Test
  void the_given_path_is_where_the_program_is_looked_up() throws Exception {
    CommandSpec spec =
        new CommandSpec(
            List.of("true"),
            Map.of("PATH", "/nowhere"),
            "/",
            "root",
            false,
            Optional.empty(),
            Duration.ZERO,
            false);
    assertRefused(spec, "not found in PATH");
  }

  @Test
  void a_user_is_known_by_name_or_number_and_has_no_capabilities() throws Exception {
    assertThat(output(as("1234", "/", "id", "-u"))).isEqualTo("1234");
    assertThat(output(as("root", "/", "id", "-u"))).isEqualTo("0");
    assertThat(output(as("daemon", "/", "id", "-un"))).isEqualTo("daemon");
    String caps = output(as("1234", "/", "grep", "^Cap", "/proc/self/status"));
    assertThat(caps.replaceAll("Cap\\w+:\\s*", "")).matches("(0{16}\\s*){5}");
    assertRefused(as("nobody-here", "/", "true"), "nobody-here");
  }

  @Test
  void a_command_starts_in_its_folder_or_at_home() throws Exception {
    assertThat(output(as("root", "/usr/bin", "pwd"))).isEqualTo("/usr/bin");
    assertThat(output(as("root", "", "pwd"))).isEqualTo("/root");
    assertThat(output(as("4321", "", "pwd"))).isEqualTo("/");
    assertRefused(as("root", "/no/such/folder", "true"), "/no/such/folder");
    assertRefused(as("root", "relative", "true"), "relative");
    assertRefused(as("1000", "/root", "true"), "/root");
  }

  @Test
  void a_folder_that_was_deleted_or_is_a_descriptor_is_no_place_to_start() throws Exception {
    for (int fd = 3; fd < 12; fd++) {
      assertRefused(as("root", "/proc/self/fd/" + fd, "true"), "/proc/self/fd/" + fd);
    }
    try (Command gone =
        agent
            .link()
            .start(
                as(
                    "root",
                    agent.work().toString(),
                    "sh",
                    "-c",
                    "mkdir x; cd x; rmdir ../x; exec sleep 60"))) {
      Await.until(
          "the folder is gone",
          () ->
              Files.readSymbolicLink(Path.of("/proc/" + gone.pid() + "/cwd"))
                  .toString()
                  .contains("deleted"));
      assertThatThrownBy(
              () -> agent.link().start(as("root", "/proc/" + gone.pid() + "/cwd", "true")))
          .isInstanceOf(GuestException.class);
    }
  }

  @Test
  void what_is_no_program_is_refused_with_the_reason() throws Exception {
    Path file = Files.writeString(agent.work().resolve("text"), "just text");
    assertRefused(as("root", "/", file.toString()), "can't be run");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertRefused(as("root", "/", file.toString()), "not a program");
    Files.writeString(file, "#!/no/such/interpreter\n");
    assertRefused(as("root", "/", file.toString()), "interpreter");
    assertRefused(as("root", "/", "/usr"), "/usr");
  }

  @Test
  void a_refused_command_leaves_nothing_behind() throws Exception {
    GuestLink link = agent.link();
    for (int i = 0; i < 50; i++) {
      assertThatThrownBy(() -> link.start(CommandSpec.of("no-such-program")))
          .isInstanceOf(GuestException.class);
    }
    assertThat(link.processes()).isEmpty();
    Await.until("no child is left", () -> agent.children() == 0);
  }

  @Test
  void long_arguments_and_environments_arrive_whole() throws Exception {
    String longest = "x".repeat(120_000);
    CommandSpec spec =
        new CommandSpec(
            List.of("sh", "-c", "printf %s \"$1$BIG\" | wc -c", "sh", longest),
            Map.of("BIG", longest),
            "/",
            "root",
            false,
            Optional.empty(),
            Duration.ZERO,
            false);
    assertThat(output(spec)).isEqualTo("240000");
    assertThatThrownBy(() -> agent.link().start(as("root", "/", "true", "x".repeat(3_000_000))))
        .isInstanceOf(GuestException.class)
        .hasMessageContaining("too long");
  }

  @Test
  void a_command_that_takes_too_long_is_killed_with_its_group() throws Exception {
    CommandSpec spec =
        new CommandSpec(
            List.of("sh", "-c", "sleep 100 & echo $!; wait"),
            Map.of(),
            "/",
            "root",
            false,
            Optional.empty(),
            Duration.ofMillis(300),
            false);
    try (Command command = agent.link().start(spec)) {
      CommandExit exit = exitOf(command);
      assertThat(exit.timedOut()).isTrue();
      assertThat(exit.signal()).isEqualTo(9);
      assertThat(exit.duration()).isBetween(Duration.ofMillis(290), Duration.ofSeconds(10));
      long child = Long.parseLong(text(command.stdout()).trim());
      Await.until("its child is gone, too", () -> !RunningAgent.isRunning(child));
    }
  }

  @Test
  void a_signal_reaches_the_process_or_its_group() throws Exception {
    GuestLink link = agent.link();
    try (Command command =
        link.start(
            as(
                "root",
                "/",
                "sh",
                "-c",
                "trap 'echo caught; exit 3' TERM; echo ready; sleep 100 & wait"))) {
      assertThat(command.stdout().read()).isEqualTo('r');
      link.signal(command.processId(), 15, false);
      assertThat(exitOf(command).code()).isEqualTo(3);
      assertThat(text(command.stdout())).contains("caught");
    }
    try (Command command = link.start(as("root", "/", "sleep", "100"))) {
      command.signal(15);
      assertThat(exitOf(command).signal()).isEqualTo(15);
      assertThatThrownBy(() -> link.signal(command.processId() + 999, 15, true))
          .isInstanceOf(GuestException.class)
          .extracting(e -> ((GuestException) e).code())
          .isEqualTo(ErrorCode.NOT_FOUND);
      assertThatThrownBy(() -> link.signal(command.processId(), 99, true))
          .isInstanceOf(GuestException.class);
    }
  }

  @Test
  void children_in_the_background_do_not_delay_the_exit() throws Exception {
    try (Command command =
        agent.link().start(as("root", "/", "sh", "-c", "echo now; sleep 30 & exit 4"))) {
      CommandExit exit = exitOf(command);
      assertThat(exit.code()).isEqualTo(4);
      assertThat(exit.duration()).isLessThan(Duration.ofSeconds(20));
      assertThat(text(command.stdout())).isEqualTo("now\n");
      assertThat(command.stderr().read()).isEqualTo(-1);
    }
  }

  @Test
  void a_child_that_talks_on_after_the_exit_is_not_stopped_by_it() throws Exception {
    Path done = agent.work().resolve("done");
    String script = "(sleep 0.2; head -c 1000000 /dev/zero; touch %s) & exit 0".formatted(done);
    try (Command command = agent.link().start(as("root", "/", "sh", "-c", script))) {
      exitOf(command);
    }
    Await.until("the child wrote all it had", () -> Files.exists(done));
  }

  @Test
  void all_output_written_before_the_exit_arrives() throws Exception {
    for (int i = 0; i < 20; i++) {
      try (Command command =
          agent.link().start(as("root", "/", "head", "-c", "60000", "/dev/zero"))) {
        exitOf(command);
        assertThat(command.stdout().readAllBytes()).hasSize(60_000);
      }
    }
  }

  @Test
  void closing_ends_a_command_and_its_group() throws Exception {
    GuestLink link = agent.link();
    Command command = link.start(as("root", "/", "sh", "-c", "sleep 100 & echo $!; wait"));
    byte[] line = new byte[32];
    int n = command.stdout().read(line);
    long child = Long.parseLong(new String(line, 0, n, UTF_8).trim());
    command.close();
    Await.until("the group is gone", () -> !RunningAgent.isRunning(child));
    assertThat(link.processes()).isEmpty();
    assertThatThrownBy(() -> exitOf(command)).hasCauseInstanceOf(GuestLinkException.class);
  }

  @Test
  void writing_to_a_command_that_does_not_read_any_more_is_a_broken_pipe() throws Exception {
    try (Command command = agent.link().start(withInput("sh", "-c", "exec <&-; sleep 30"))) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  command.stdin().write(new byte[65_536]);
                }
              })
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Broken pipe");
    }
  }

  @Test
  void a_command_that_ends_while_it_is_written_to_is_a_broken_pipe_too() throws Exception {
    try (Command command = agent.link().start(withInput("head", "-c", "10"))) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  command.stdin().write(new byte[65_536]);
                }
              })
          .isInstanceOf(IOException.class);
      assertThat(exitOf(command).code()).isZero();
    }
  }

  @Test
  void more_than_1024_commands_at_once_are_refused() throws Exception {
    GuestLink link = agent.link();
    List<Command> running = new ArrayList<>();
    for (int i = 0; i < 1024; i++) {
      running.add(link.start(as("root", "/", "sleep", "100")));
    }
    assertThatThrownBy(() -> link.start(as("root", "/", "true")))
        .isInstanceOf(GuestException.class)
        .hasMessageContaining("1024 commands");
    assertThat(link.processes()).hasSize(1024);
    running.forEach(Command::close);
    Await.until("there is room again", () -> link.processes().isEmpty());
    Await.until("all are gone", () -> agent.children() == 0);
    try (Command command = link.start(as("root", "/", "true"))) {
      assertThat(exitOf(command).code()).isZero();
    }
  }

  @Test
  void process_numbers_are_never_used_twice() throws Exception {
    GuestLink link = agent.link();
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      try (Command command = link.start(as("root", "/", "true"))) {
        assertThat(seen.add(command.processId())).isTrue();
        exitOf(command);
      }
    }
  }
}
