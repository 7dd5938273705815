package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CliTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void create_prints_the_id_and_rm_removes_the_sandbox() throws Exception {
    String id = cli().run("create", "--name", "made by hand").succeeded().stdout().strip();
    assertThat(server.cove().sandboxes().require("made by hand").id()).isEqualTo(id);
    assertThat(cli().run("rm", id).succeeded().stdout()).isEmpty();
    assertThat(server.cove().sandboxes().find(id)).isEmpty();
  }

  @Test
  void rm_goes_on_after_one_that_is_not_there() throws Exception {
    String id = cli().run("create").succeeded().stdout().strip();
    var outcome = cli().run("rm", "nobody", id);
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.stderr()).startsWith("cove: nobody: ").hasLineCount(1);
    assertThat(server.cove().sandboxes().find(id)).isEmpty();
    assertThat(cli().run("rm", "-f", "nobody").succeeded().stderr()).isEmpty();
  }

  @Test
  void create_takes_every_setting_and_prints_it_as_json() throws Exception {
    String printed =
        cli()
            .run(
                "create",
                "--json",
                "--name",
                "all set",
                "--cpus",
                "0.5",
                "--memory",
                "256M",
                "--max-processes",
                "99",
                "--label",
                "a=1",
                "--label",
                "b=2",
                "--env",
                "GREETING=hi")
            .succeeded()
            .stdout();
    JsonNode json = JsonMapper.shared().readTree(printed);
    assertThat(json.path("state").asString()).isEqualTo("running");
    assertThat(json.path("cpus").asDouble()).isEqualTo(0.5);
    assertThat(json.path("memoryMb").asInt()).isEqualTo(256);
    assertThat(json.path("maxProcesses").asInt()).isEqualTo(99);
    assertThat(json.path("labels").path("b").asString()).isEqualTo("2");
    Sandbox box = server.cove().sandboxes().require(json.path("id").asString());
    assertThat(box.exec("sh", "-c", "echo $GREETING").stdout()).isEqualTo("hi\n");
    box.delete();
  }

  @Test
  void ls_lists_for_people_and_for_programs() throws Exception {
    try (Sandbox box =
        server.create(CreateOptions.defaults().name("listed").label("suite", "ls"))) {
      assertThat(cli().run("ls").succeeded().stdout())
          .contains("ID")
          .contains(box.id())
          .contains("listed")
          .contains("running");
      JsonNode json =
          JsonMapper.shared()
              .readTree(cli().run("ls", "--json", "--label", "suite=ls").succeeded().stdout());
      assertThat(json.size()).isEqualTo(1);
      assertThat(json.get(0).path("id").asString()).isEqualTo(box.id());
      assertThat(cli().run("ls", "--json", "--label", "suite=none").succeeded().stdout().strip())
          .isEqualTo("[]");
    }
  }

  @Test
  void exec_passes_output_errors_and_the_exit_code_through() throws Exception {
    try (Sandbox box = server.create(CreateOptions.defaults().name("runs"))) {
      var outcome = cli().run("exec", "runs", "--", "sh", "-c", "echo out; echo err >&2; exit 42");
      assertThat(outcome.exitCode()).isEqualTo(42);
      assertThat(outcome.stdout()).isEqualTo("out\n");
      assertThat(outcome.stderr()).isEqualTo("err\n");
      var killed = cli().run("exec", box.id(), "--", "sh", "-c", "kill -KILL $$");
      assertThat(killed.exitCode()).isEqualTo(137);
      var flags =
          cli()
              .run(
                  "exec",
                  "--user",
                  "root",
                  "--cwd",
                  "/var",
                  "--env",
                  "A=b c",
                  box.id(),
                  "--",
                  "sh",
                  "-c",
                  "id -u; pwd; echo $A");
      assertThat(flags.stdout()).isEqualTo("0\n/var\nb c\n");
    }
  }

  @Test
  void exec_says_that_the_time_was_up() throws Exception {
    try (Sandbox box = server.create()) {
      var outcome = cli().run("exec", "--timeout", "300ms", box.id(), "--", "sleep", "600");
      assertThat(outcome.exitCode()).isNotZero();
      assertThat(outcome.stderr()).contains("time was up");
    }
  }

  @Test
  void pipes_carry_any_bytes_both_ways() throws Exception {
    int size = 5 << 20;
    try (Sandbox box = server.create()) {
      var counted = cli().pipe(SampleBytes.of(size), "exec", box.id(), "--", "sh", "-c", "wc -c");
      assertThat(counted.succeeded().stdout().strip()).isEqualTo(Integer.toString(size));
      var back = cli().pipe(SampleBytes.of(size), "exec", box.id(), "--", "cat").succeeded();
      assertThat(SampleBytes.checksum(new ByteArrayInputStream(back.stdoutBytes())))
          .isEqualTo(SampleBytes.checksum(SampleBytes.of(size)));
    }
  }

  @Test
  void run_makes_a_sandbox_runs_the_command_and_removes_the_sandbox() throws Exception {
    var outcome =
        cli().run("run", "--label", "suite=run", "--", "python3", "-c", "print('hello'); exit(3)");
    assertThat(outcome.stdout()).isEqualTo("hello\n");
    assertThat(outcome.exitCode()).isEqualTo(3);
    assertThat(labelled("run")).isEmpty();
  }

  @Test
  void run_removes_its_sandbox_also_when_it_is_interrupted() throws Exception {
    for (String signal : List.of("INT", "TERM")) {
      var running =
          cli().start("run", "--label", "suite=" + signal, "--", "sh", "-c", "echo up; sleep 600");
      Awaitility.await("the command to run")
          .atMost(Duration.ofSeconds(30))
          .until(() -> isBusy(signal));
      HostProcesses.signal(running.process().pid(), signal);
      var outcome = cli().await(running);
      assertThat(outcome.exitCode()).isEqualTo(signal.equals("INT") ? 130 : 143);
      assertThat(outcome.stdout()).isEqualTo("up\n");
      assertThat(labelled(signal)).isEmpty();
    }
  }

  @Test
  void an_interrupt_that_comes_before_the_start_is_known_here_is_not_lost() throws Exception {
    try (var proxy = new HoldingProxy(server.url())) {
      var slow =
          Cli.with(
              Map.of(
                  "COVE_HOME", server.home().toString(),
                  "COVE_URL", proxy.url().toString(),
                  "COVE_API_KEY", server.key()));
      var running =
          slow.start("run", "--label", "suite=late", "--", "sh", "-c", "echo up; sleep 600");
      Awaitility.await("the command to run")
          .atMost(Duration.ofSeconds(30))
          .until(() -> isBusy("late"));
      HostProcesses.signal(running.process().pid(), "INT");
      // Nothing tells from outside that the handler has run.
      Thread.sleep(1_000);
      proxy.release();
      var outcome = slow.await(running);
      assertThat(outcome.exitCode()).isEqualTo(130);
      assertThat(outcome.stdout()).isEqualTo("up\n");
      assertThat(labelled("late")).isEmpty();
    }
  }

  private static boolean isBusy(String suite) {
    return labelled(suite).stream()
        .anyMatch(
            box -> server.cove().sandboxes().require(box.id()).metrics().processes().count() > 2);
  }

  @Test
  void ps_shows_what_was_started() throws Exception {
    try (Sandbox box = server.create()) {
      box.spawn(Command.of("sleep", "601"));
      assertThat(cli().run("ps", box.id()).succeeded().stdout())
          .contains("sleep 601")
          .contains("running");
      JsonNode json =
          JsonMapper.shared().readTree(cli().run("ps", "--json", box.id()).succeeded().stdout());
      assertThat(json.get(0).path("command").get(1).asString()).isEqualTo("601");
    }
  }

  @Test
  void top_shows_use_and_limits_once() throws Exception {
    try (Sandbox box = server.create(CreateOptions.defaults().name("topped"))) {
      assertThat(cli().run("top", "--once").succeeded().stdout())
          .contains("MEMORY")
          .contains(box.id())
          .contains("topped");
      JsonNode json =
          JsonMapper.shared().readTree(cli().run("top", "--once", "--json").succeeded().stdout());
      assertThat(json.get(0).path("memory").path("limitBytes").asLong()).isPositive();
    }
  }

  @Test
  void key_makes_lists_and_revokes_keys() throws Exception {
    String key = cli().run("key", "create", "robot").succeeded().stdout().strip();
    try (Cove robot = Cove.connect(server.url(), key)) {
      assertThat(robot.system().version()).isNotBlank();
      String table = cli().run("key", "ls").succeeded().stdout();
      assertThat(table).contains("robot").doesNotContain(key);
      JsonNode listed =
          JsonMapper.shared().readTree(cli().run("key", "ls", "--json").succeeded().stdout());
      String id = "";
      for (JsonNode one : listed) {
        id = one.path("name").asString().equals("robot") ? one.path("id").asString() : id;
      }
      cli().run("key", "rm", id).succeeded();
      Refusals.assertRefused(401, "unauthenticated", () -> robot.system());
    }
  }

  @Test
  void env_gives_lines_that_a_shell_can_take(@TempDir Path empty) throws Exception {
    String lines = cli().run("env").succeeded().stdout();
    var shell =
        new ProcessBuilder(
            "sh", "-c", "eval \"$1\"; printf '%s %s' \"$COVE_URL\" \"$COVE_API_KEY\"", "sh", lines);
    shell.environment().put("COVE_HOME", empty.toString());
    Process process = shell.start();
    String taken = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    assertThat(taken.equals(server.url() + " " + server.key())).isTrue();
    // With these, and with nothing else, another command line finds the server.
    var elsewhere =
        Cli.with(
            Map.of(
                "COVE_HOME", empty.toString(),
                "COVE_URL", server.url().toString(),
                "COVE_API_KEY", server.key()));
    assertThat(elsewhere.run("ls", "--json").succeeded().stdout()).startsWith("[");
  }

  @Test
  void the_completion_scripts_can_be_read_by_their_shells() throws Exception {
    String script = cli().run("completion", "bash").succeeded().stdout();
    assertThat(script).contains("exec").contains("complete ");
    Process bash = new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
    try (var stdin = bash.getOutputStream()) {
      stdin.write(script.getBytes(StandardCharsets.UTF_8));
    }
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as(said).isZero();
  }

  @Test
  void every_failure_is_one_sentence_and_has_its_own_exit_code(@TempDir Path empty)
      throws Exception {
    try (Sandbox box = server.create()) {
      assertFails(125, cli().run("exec", "nobody", "--", "true"));
      assertFails(127, cli().run("exec", box.id(), "--", "/no/such/program"));
      assertFails(127, cli().run("exec", box.id(), "--", "no-such-program"));
      assertFails(126, cli().run("exec", box.id(), "--", "/etc/passwd"));
      assertFails(1, cli().run("rm", "nobody"));
      assertFails(1, cli().run("create", "--template", "none such"));
      assertFails(1, cli().run("cp", "/no/such/file", box.id() + ":/tmp/x"));
      assertFails(1, Cli.with(Map.of("COVE_HOME", empty.toString())).run("ls"));
    }
    assertThat(cli().run("frobnicate").exitCode()).isEqualTo(2);
    assertThat(cli().run("ls", "--frobnicate").exitCode()).isEqualTo(2);
    assertThat(cli().run("create", "--memory", "lots").exitCode()).isEqualTo(2);
    assertThat(cli().run("exec").exitCode()).isEqualTo(125);
  }

  private static void assertFails(int exitCode, Cli.Outcome outcome) {
    assertThat(outcome.exitCode()).as(outcome.stderr()).isEqualTo(exitCode);
    assertThat(outcome.stdout()).isEmpty();
    assertThat(outcome.stderr()).startsWith("cove: ").hasLineCount(1);
    assertThat(outcome.stderr().strip()).endsWith(".");
    assertThat(outcome.stderr()).doesNotContain("Exception");
  }

  @Test
  void help_and_version_say_what_there_is() throws Exception {
    String help = cli().run("--help").succeeded().stdout();
    for (String verb :
        "server up down env run create ls ps exec shell cp rm top key doctor bench version verify"
            .split(" ")) {
      assertThat(help).containsPattern("(?m)^\\s+" + verb + "\\b");
      assertThat(cli().run(verb, "--help").exitCode()).as("cove %s --help", verb).isZero();
    }
    assertThat(cli().run("version").succeeded().stdout())
        .contains(server.cove().system().version());
  }

  @Test
  void input_that_is_not_wanted_does_not_hold_up_a_command() throws Exception {
    try (Sandbox box = server.create();
        InputStream endless = SampleBytes.of(Long.MAX_VALUE)) {
      var outcome = cli().pipe(endless, "exec", box.id(), "--", "echo", "enough");
      assertThat(outcome.succeeded().stdout()).isEqualTo("enough\n");
    }
  }

  private static Cli cli() {
    return Cli.of(server);
  }

  private static List<SandboxInfo> labelled(String suite) {
    return server.cove().sandboxes().list(Map.of("suite", suite));
  }
}
