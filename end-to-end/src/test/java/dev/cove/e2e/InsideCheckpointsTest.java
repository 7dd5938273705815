package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.CheckpointRules;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.Sandbox;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checkpoints that programs inside a sandbox ask for. */
class InsideCheckpointsTest {
  private static final String FILE = "/home/user/work";
  private static final CheckpointRules ALLOWED = CheckpointRules.usual().withFromInside(true);

  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  @AfterEach
  void removeCheckpoints() {
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  private static Sandbox allowed() {
    Sandbox box = server.create();
    box.setCheckpointRules(ALLOWED);
    return box;
  }

  private static void assertRefused(ExecResult asked, String because) {
    assertThat(asked.stdout()).isEmpty();
    assertThat(asked.stderr()).startsWith("cove-checkpoint: ").contains(because);
    assertThat(asked.exitCode()).isEqualTo(1);
  }

  @Test
  void who_asks_without_leave_is_told_how_the_owner_gives_it() {
    try (Sandbox box = server.create()) {
      assertRefused(
          box.exec("cove-checkpoint"), "cove checkpoint rules " + box.id() + " --from-inside on");
      assertThat(box.checkpoints()).isEmpty();
      box.setCheckpointRules(ALLOWED);
      assertThat(box.exec("cove-checkpoint").exitCode()).isZero();
      box.setCheckpointRules(CheckpointRules.usual());
      assertRefused(box.exec("cove-checkpoint"), "does not allow");
    }
  }

  @Test
  void the_state_at_that_moment_is_kept_and_can_be_returned_to() {
    try (Sandbox box = allowed()) {
      ExecResult asked =
          box.exec(
              Command.shell(
                  "echo before > %1$s; cove-checkpoint 'my step'; echo after > %1$s"
                      .formatted(FILE)));
      Checkpoint kept = box.checkpoints().getFirst();
      assertThat(asked.stdout()).isEqualTo(kept.id() + "\n");
      assertThat(kept.reason()).isEqualTo("inside");
      assertThat(kept.name()).isEqualTo("my step");
      assertThat(box.files().readString(FILE)).isEqualTo("after\n");
      box.restore(kept.id());
      assertThat(box.exec("cat", FILE).stdout()).isEqualTo("before\n");
      assertThat(box.exec("cove-checkpoint").exitCode()).isZero();
    }
  }

  @Test
  void every_user_finds_the_command_whatever_is_looked_through() {
    try (Sandbox box = allowed()) {
      for (Command command :
          List.of(
              Command.of("cove-checkpoint").user("root"),
              Command.of("cove-checkpoint").user("nobody"),
              Command.of("cove-checkpoint").env("PATH", "/nowhere"),
              Command.shell("cd / && exec cove-checkpoint").env("PATH", "/usr/bin:/bin"))) {
        ExecResult asked = box.exec(command);
        assertThat(asked.exitCode()).as(asked.stderr()).isZero();
      }
      assertThat(box.checkpoints()).hasSize(4);
    }
  }

  @Test
  void it_is_part_of_no_layer_and_nobody_can_change_it() {
    try (Sandbox box = allowed()) {
      String from = box.checkpoint().id();
      String to = box.exec("cove-checkpoint").stdout().strip();
      assertThat(server.cove().checkpoints().diff(from, to).items()).isEmpty();
      ExecResult found =
          box.exec(Command.shell("find / -xdev -name 'cove-checkpoint*' 2>&1").user("root"));
      assertThat(found.stdout()).isEmpty();
      ExecResult write =
          box.exec(
              Command.shell("echo x > /dev/cove/cove-checkpoint || rm /dev/cove/*").user("root"));
      assertThat(write.exitCode()).isNotZero();
      assertThat(box.exec("cove-checkpoint").exitCode()).isZero();
    }
  }

  @Test
  void a_sandbox_without_a_shell_has_it_too() throws Exception {
    try (var templates = new TemplateCalls(server)) {
      var files =
          new TestImage.Layer()
              .file("Dockerfile", "FROM scratch\nENV PATH=/app\nCOPY data /data\n")
              .file("data", "only this\n");
      assertThat(templates.fromContext("name=bare", files).statusCode()).isEqualTo(201);
      try (Sandbox box = server.create(CreateOptions.defaults().template("bare"))) {
        box.setCheckpointRules(ALLOWED);
        ExecResult asked = box.exec("cove-checkpoint", "bare");
        assertThat(asked.stderr()).isEmpty();
        assertThat(box.checkpoints().getFirst().id()).isEqualTo(asked.stdout().strip());
      } finally {
        removeCheckpoints();
        templates.removeAll();
      }
    }
  }

  @Test
  void names_are_held_to_what_the_api_allows() {
    try (Sandbox box = allowed()) {
      assertRefused(box.exec("cove-checkpoint", "two\nlines"), "control characters");
      assertRefused(box.exec("cove-checkpoint", "x".repeat(129)), "128 characters");
      assertRefused(box.exec("cove-checkpoint", "x".repeat(1025)), "too long");
      assertThat(box.exec("cove-checkpoint", "one", "two").exitCode()).isEqualTo(2);
      assertThat(box.exec("cove-checkpoint", "--what").stderr()).startsWith("usage:");
      assertThat(box.exec("cove-checkpoint", "--help").stdout()).startsWith("usage:");
      assertThat(box.checkpoints()).isEmpty();
      assertThat(box.exec("cove-checkpoint", "é".repeat(128)).exitCode()).isZero();
      assertThat(box.checkpoints().getFirst().name()).isEqualTo("é".repeat(128));
    }
  }

  @Test
  void a_flood_gets_six_in_a_minute_and_costs_nobody_else() {
    try (Sandbox flooding = allowed();
        Sandbox other = allowed()) {
      flooding.setCheckpointRules(ALLOWED.withKeepAutomatic(2).withBeforeExec(true));
      String mine = flooding.checkpoint("mine").id();
      ExecResult flood =
          flooding.exec(
              Command.shell(
                  """
                  for i in $(seq 40); do cove-checkpoint & done 2>&1 | sort | uniq -c
                  for i in $(seq 10); do cove-checkpoint; done 2>&1
                  """));
      assertThat(flood.stdout()).contains("6 checkpoints in a minute");
      assertThat(flooding.checkpoints().stream().filter(one -> one.reason().equals("inside")))
          .hasSize(2);
      assertThat(flooding.checkpoints()).extracting(Checkpoint::id).contains(mine);
      assertThat(other.exec("cove-checkpoint").exitCode()).isZero();
    }
  }

  @Test
  void connections_that_say_nothing_keep_nobody_out_for_long() {
    try (Sandbox box = allowed()) {
      ExecResult asked =
          box.exec(
              Command.of(
                  "python3",
                  "-u",
                  "-c",
                  """
                  import socket, subprocess, time
                  def connect():
                      s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                      s.connect("\\0cove-ask")
                      return s
                  silent = [connect() for _ in range(200)]
                  print(subprocess.run(["cove-checkpoint"], capture_output=True).returncode)
                  wrong = connect()
                  time.sleep(7)
                  for nonsense in (b"\\7", b"\\1a\\0b", b"\\1" * 3000):
                      wrong = connect()
                      wrong.send(nonsense)
                      print(wrong.recv(100)[0])
                  print(subprocess.run(["cove-checkpoint"]).returncode)
                  """));
      assertThat(asked.stderr()).isEmpty();
      assertThat(asked.stdout()).startsWith("1\n1\n1\n1\nc").endsWith("\n0\n");
    }
  }

  @Test
  void who_waits_while_the_server_is_killed_hears_of_it() throws Exception {
    Sandbox box = allowed().detach();
    ProcessInfo process =
        box.spawn(
            Command.shell("sleep 1; cove-checkpoint 2> %1$s; echo $? >> %1$s".formatted(FILE)));
    stopped(server.pid());
    Thread.sleep(Duration.ofSeconds(3)); // nobody can say when it has asked: the server is stopped
    server.kill();
    server.start();
    Sandbox again = server.cove().sandboxes().require(box.id());
    Awaitility.await().until(() -> !again.requireProcess(process.processId()).running());
    assertThat(again.files().readString(FILE)).contains("went away").endsWith("\n1\n");
    assertThat(again.exec("cove-checkpoint").exitCode()).isZero();
    again.delete();
  }

  private static void stopped(long pid) throws Exception {
    assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor()).isZero();
  }

  @Test
  void by_the_clock_a_state_is_kept_whatever_those_inside_ask_for() {
    try (Sandbox quiet = server.create();
        Sandbox box = allowed()) {
      quiet.files().write("/home/user/file", "one");
      quiet.setCheckpointRules(CheckpointRules.usual().withEveryMinutes(OptionalInt.of(1)));
      box.setCheckpointRules(ALLOWED.withEveryMinutes(OptionalInt.of(1)));
      box.spawn(Command.shell("while cove-checkpoint; do sleep 20; done").keepRunning());
      Awaitility.await("those by the clock")
          .atMost(Duration.ofMinutes(2))
          .until(() ->
              reasons(quiet).equals(List.of("scheduled")) && reasons(box).contains("scheduled"));
    }
  }

  private static List<String> reasons(Sandbox box) {
    return box.checkpoints().stream().map(Checkpoint::reason).toList();
  }

  @Test
  void the_command_line_gives_leave() throws Exception {
    try (Sandbox box = server.create()) {
      String shown =
          Cli.of(server)
              .run("checkpoint", "rules", box.id(), "--from-inside", "on")
              .succeeded()
              .stdout();
      assertThat(shown).contains("from inside          on");
      assertThat(box.exec("cove-checkpoint").exitCode()).isZero();
    }
  }
}
