package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.RunningCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Going for the agent, which is pid 1 and carries out what the server asks for. */
class AgentAttacksTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @SuppressWarnings("NullAway.Init") // set before every test
  private Intruder intruder;

  @BeforeEach
  void start() {
    intruder = Intruder.in(SERVER.cove());
  }

  @AfterEach
  void end() {
    intruder.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_process_can_read_itself_but_not_the_agent(String user) throws Exception {
    var argv = new ArrayList<>(List.of(intruder.install("opens")));
    List<String> files = List.of("environ", "maps", "auxv");
    for (String file : files) {
      argv.addAll(List.of("read", "/proc/self/" + file, "read", "/proc/1/" + file));
    }
    argv.addAll(List.of("read", "/proc/1/mem", "write", "/proc/1/mem"));
    argv.addAll(List.of("read", "/proc/1/root/etc/passwd", "read", "/proc/1/cwd/etc/passwd"));
    for (int fd = 0; fd < 16; fd++) {
      argv.addAll(List.of("read", "/proc/1/fd/" + fd, "write", "/proc/1/fd/" + fd));
    }

    Map<String, String> findings = intruder.findings(user, argv.toArray(String[]::new));

    for (String file : files) {
      assertThat(findings).containsEntry("read /proc/self/" + file, "OK");
    }
    assertThat(findings)
        .allSatisfy((attempt, result) -> {
          if (attempt.contains("/proc/1/")) {
            assertThat(result).as(attempt).isIn("EACCES", "EPERM", "ENOENT");
          }
        });
    assertThat(intruder.shell(user, "ls /proc/1/fd /proc/1/map_files").stdout())
        .doesNotContain("->");
    assertThat(intruder.shell(user, "readlink /proc/1/exe /proc/1/root /proc/1/cwd").stdout())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void killing_pid_1_does_not_reach_it(String user) {
    assertThat(intruder.shell(user, "sleep 30 & kill -9 $! && wait $!; test $? = 137").exitCode())
        .isZero();

    for (String signal : List.of("KILL", "STOP", "TERM", "SEGV", "CONT", "USR1", "HUP", "CHLD")) {
      intruder.shell(user, "kill -" + signal + " 1");
      intruder.assertUsable();
    }
    assertThat(intruder.box().fetchInfo().state()).isEqualTo("running");
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void killing_everything_takes_the_commands_and_not_the_sandbox(String user) {
    try (RunningCommand victim =
        intruder.box().start(Command.of("sleep", "60").user(user).timeout(PATIENCE))) {
      intruder.shell(user, "kill -9 -1");

      assertThat(victim.waitFor().signal()).contains("SIGKILL");
    }
    intruder.assertUsable();
    intruder.files(user).write("/tmp/after", "still here");
    assertThat(intruder.files(user).readString("/tmp/after")).isEqualTo("still here");
  }

  @Test
  void a_user_cannot_kill_what_root_runs() {
    try (RunningCommand roots = intruder.box().start(Command.of("sleep", "60").user("root"))) {
      intruder.shell("user", "kill -9 -1; kill -9 " + roots.pid());

      assertThat(intruder.must("root", "cat /proc/" + roots.pid() + "/comm")).isEqualTo("sleep");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_signal_storm_against_pid_1_does_not_stop_it(String user) throws Exception {
    try (var bystander = Bystander.in(SERVER.cove())) {
      bystander.unharmedBy(() -> {
        try (RunningCommand storm =
            intruder
                .box()
                .start(
                    Command.shell("while :; do kill -CHLD 1; kill -STOP 1; kill -9 1; done")
                        .user(user)
                        .timeout(PATIENCE))) {
          for (int i = 0; i < 20; i++) {
            intruder.assertUsable();
          }
          assertThat(storm.waitFor(Duration.ZERO)).isEmpty();
        }
      });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void the_agents_socket_cannot_be_reached_from_inside(String user) {
    String reach =
        """
        import os, socket, sys
        def reach(name, address):
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(2)
            try:
                s.connect(address)
                print(name, "REACHED")
            except OSError:
                print(name, "NOT")
        own = socket.socket(socket.AF_UNIX)
        own.bind("/tmp/own-%d.sock" % os.getpid())
        own.listen()
        reach("own", own.getsockname())
        for folder in ["/", "/run", "/run/cove/s", "/tmp", "/home/user", "/proc/self/root"]:
            try:
                os.chdir(folder)
            except OSError:
                continue
            reach("relative-in-" + folder, sys.argv[1] + ".sock")
        reach("absolute", sys.argv[2])
        reach("abstract", "\\0" + sys.argv[1] + ".sock")
        for fd in range(3, 12):
            reach("fd-%d" % fd, "/proc/1/fd/%d" % fd)
        """;
    Map<String, String> findings =
        intruder.findings(
            user,
            "python3",
            "-c",
            reach,
            intruder.id(),
            SERVER.home().resolve("run/s/" + intruder.id() + ".sock").toString());

    assertThat(findings).containsEntry("own", "REACHED").hasSizeGreaterThan(12);
    assertThat(findings)
        .allSatisfy((name, result) -> {
          if (!name.equals("own")) {
            assertThat(result).as(name).isEqualTo("NOT");
          }
        });
    intruder.assertUsable();
  }

  @Test
  void output_that_looks_like_frames_of_the_link_is_only_output() throws Exception {
    byte[] forged = new byte[64 * 1024];
    for (int i = 0; i < forged.length; i++) {
      forged[i] = (byte) (i * 31 % 7);
    }
    intruder.files("user").write("/tmp/forged", forged);

    assertThat(intruder.run("user", "cat", "/tmp/forged").stdoutBytes()).isEqualTo(forged);
    intruder.assertUsable();
  }
}
