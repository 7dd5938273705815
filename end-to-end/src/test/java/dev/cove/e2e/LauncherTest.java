package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a person types: {@code ./cove}, with the local server as it comes and goes. */
class LauncherTest {
  // One home for all: each new one would build its own template.
  @TempDir static Path folder;
  private static Path home;
  private static Launcher cove;

  @BeforeAll
  static void install() throws IOException {
    home = Files.createTempDirectory("cove-e2e-");
    cove = Launcher.installedIn(folder, home);
  }

  @AfterEach
  void removeAll() throws Exception {
    var down = cove.run("down", "--remove");
    assertThat(down.exitCode()).as(down.stderr()).isZero();
    HostTraces.of(home).assertNone();
  }

  @AfterAll
  static void removeHome() throws IOException {
    // Not where something is left: below a mount would be the host's own files.
    HostTraces.of(home).assertNone();
    RunningServer.removeTree(home);
  }

  @Test
  void run_starts_the_server_when_there_is_none_and_leaves_it_running() throws Exception {
    String program = "print(\"hello from a sandbox\")";
    var first = cove.run("run", "--", "python3", "-c", program);
    assertThat(first.exitCode()).as(first.stderr()).isZero();
    assertThat(first.stdout()).isEqualTo("hello from a sandbox\n");
    assertThat(home.resolve("run/server.json")).exists();
    var second = cove.run("run", "--", "sh", "-c", "exit 12");
    assertThat(second.exitCode()).isEqualTo(12);
    assertThat(second.stderr()).isEmpty();
    assertThat(cove.run("ls", "--json").stdout().strip()).isEqualTo("[]");
  }

  @Test
  void up_returns_when_the_server_is_healthy_and_down_leaves_sandboxes_running() throws Exception {
    String url = cove.run("up").stdout().strip();
    assertThat(url).startsWith("http://127.0.0.1:");
    assertThat(cove.run("up").stdout().strip()).as("up is up").isEqualTo(url);
    assertThat(cove.run("env").stdout())
        .startsWith("export COVE_URL=" + url + " COVE_API_KEY=cove_");
    String id = cove.run("create").stdout().strip();
    long agent = HostProcesses.agentOf(id);

    assertThat(cove.run("down").exitCode()).isZero();
    assertThat(home.resolve("run/server.json")).doesNotExist();
    assertThat(HostProcesses.isRunning(agent)).isTrue();
    var without = cove.run("ls");
    assertThat(without.exitCode()).isEqualTo(1);
    assertThat(without.stderr()).startsWith("cove: ").contains("cove up").hasLineCount(1);

    assertThat(cove.run("up").exitCode()).isZero();
    assertThat(cove.run("exec", id, "--", "echo", "still here").stdout()).isEqualTo("still here\n");
    cove.run("exec", id, "--", "sh", "-c", "echo kept > /home/user/file");
    assertThat(cove.run("down", "--all").exitCode()).isZero();
    assertThat(HostProcesses.isRunning(agent)).isFalse();

    assertThat(cove.run("up").exitCode()).isZero();
    assertThat(cove.run("ls").stdout()).contains("stopped (shut_down)");
    assertThat(cove.run("exec", id, "--", "cat", "/home/user/file").stdout()).isEqualTo("kept\n");
  }

  @Test
  void the_readmes_walk_through_of_checkpoints_works() throws Exception {
    String readme = Files.readString(Launcher.repository().resolve("README.md"));
    var block =
        Pattern.compile("(?s)a test runs this block -->\\R```sh\\R(.*?)```").matcher(readme);
    assertThat(block.find()).isTrue();
    cove.run("up");
    var outcome = cove.script(block.group(1));
    assertThat(outcome.exitCode()).as(outcome.stderr()).isZero();
    assertThat(outcome.stdout()).contains("\nprepared\n").contains("base");
  }

  @Test
  void many_starts_at_once_start_one_server() throws Exception {
    var urls = AtOnce.times(3, _ -> cove.run("up").stdout().strip());
    assertThat(urls).hasSize(3).containsOnly(cove.run("up").stdout().strip());
    var other = cove.run("up", "--port", "1");
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.stderr()).contains(urls.getFirst()).contains("COVE_HOME").hasLineCount(1);
  }

  @Test
  void the_doctor_says_what_this_machine_can_do_and_leaves_nothing() throws Exception {
    var report = cove.run("doctor");
    assertThat(report.exitCode()).as(report.stdout()).isZero();
    assertThat(report.stdout())
        .contains("cgroup")
        .contains("Sandboxes can run on this machine: it can promise container");
    JsonNode json = JsonMapper.shared().readTree(cove.run("doctor", "--json").stdout());
    assertThat(json.path("usable").asBoolean()).isTrue();
    assertThat(json.path("findings").size()).isGreaterThan(3);
    HostTraces.of(home).assertNone();
  }

  @Test
  void the_doctor_does_no_harm_to_a_server_that_runs() throws Exception {
    cove.run("up");
    var report = cove.run("doctor");
    assertThat(report.exitCode()).isZero();
    assertThat(report.stdout())
        .contains("of 2000 sandboxes")
        .containsPattern("ok +server's ledger +Well")
        .containsPattern("ok +server's disk +Well");
    var after = cove.run("run", "--", "echo", "well");
    assertThat(after.stderr()).isEmpty();
    assertThat(after.stdout()).isEqualTo("well\n");
  }

  @Test
  void the_launcher_says_clearly_that_a_folder_is_no_jdk() throws Exception {
    Process process = new ProcessBuilder(folder.resolve("cove").toString(), "version").start();
    assertThat(process.waitFor()).isZero();
    var builder = new ProcessBuilder(folder.resolve("cove").toString(), "version");
    builder.environment().put("COVE_JAVA_HOME", folder.toString());
    builder.redirectErrorStream(true);
    Process wrong = builder.start();
    String said = new String(wrong.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(wrong.waitFor()).isEqualTo(1);
    assertThat(said).contains("COVE_JAVA_HOME").contains("not a JDK 25");
  }
}
