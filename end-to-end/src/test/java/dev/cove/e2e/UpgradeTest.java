package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.FileWatch;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server goes on with what another version of Cove has started, or leaves it alone. */
class UpgradeTest {
  private static final String FILE = "/home/user/work";

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  @TempDir Path folder;

  @AfterEach
  void startAgain() throws Exception {
    if (!server.isAlive()) {
      server.start();
    }
  }

  /** An agent of the first version, which knew neither watches nor what asks from inside. */
  private Path olderAgent() throws Exception {
    Path build = Path.of("..", "guest", "build-agent.sh").toAbsolutePath();
    int status =
        new ProcessBuilder(
                build.toString(), folder.toString(), "-DAGENT_SPEAKS=1", "-DAGENT_KNOWS=OP_SYMLINK")
            .inheritIO()
            .start()
            .waitFor();
    assertThat(status).as("the build of an older agent").isZero();
    return folder;
  }

  @Test
  void a_newer_server_adopts_what_an_older_one_has_started() throws Exception {
    server.stop();
    server.startWith(olderAgent());
    Sandbox before = server.create(CreateOptions.defaults().name("older")).detach();
    before.files().write(FILE, "by the older one");
    ProcessInfo command = before.spawn(Command.shell("echo begun; exec sleep 6000"));
    long agent = HostProcesses.agentOf(before.id());
    server.kill();
    server.start();

    Sandbox box = server.cove().sandboxes().require("older");
    assertThat(box.info().state()).isEqualTo("running");
    assertThat(HostProcesses.agentOf(box.id())).isEqualTo(agent);
    assertThat(box.requireProcess(command.processId()).running()).isTrue();
    assertThat(firstLineOf(box, command)).isEqualTo("begun");
    assertKnownCallsWork(box);
    assertRefused(422, "guest_refused", () -> watch(box).close());
    assertThat(refusalOf(box)).contains("older than this server", "Stop the sandbox and start it");
    assertThat(box.exec("/dev/cove/cove-checkpoint").exitCode()).isNotZero();
    try (Sandbox child = box.fork()) {
      assertThat(child.files().readString(FILE)).isEqualTo("by the older one");
      watch(child).close(); // it was built by this server, and has its agent
    }
    box.pause();
    box.resume();
    assertThat(box.requireProcess(command.processId()).running()).isTrue();

    box.stop();
    box.start();
    assertThat(box.files().readString(FILE)).isEqualTo("by the older one");
    watch(box).close();
    box.delete();
  }

  private static String firstLineOf(Sandbox box, ProcessInfo command) throws Exception {
    try (RunningCommand attached = box.attach(command.processId());
        var lines =
            new BufferedReader(new InputStreamReader(attached.stdout(), StandardCharsets.UTF_8))) {
      return lines.readLine();
    }
  }

  private static void assertKnownCallsWork(Sandbox box) {
    assertThat(box.exec("echo", "works").stdout()).isEqualTo("works\n");
    assertThat(box.files().readString(FILE)).isEqualTo("by the older one");
    box.files().write("/home/user/new", "by the newer one");
    assertThat(box.files().list("/home/user")).hasSizeGreaterThan(1);
    assertThat(box.metrics().processes().count()).isPositive();
    assertThat(box.checkpoint().id()).isNotEmpty();
    box.checkpoints().forEach(one -> server.cove().checkpoints().delete(one.id()));
  }

  private static FileWatch watch(Sandbox box) {
    return box.files().watch("/home/user", true);
  }

  private static String refusalOf(Sandbox box) {
    try (FileWatch _ = watch(box)) {
      return "";
    } catch (CoveApiException e) {
      return e.detail();
    }
  }

  @Test
  void what_a_later_version_has_started_is_left_as_it_is() throws Exception {
    Sandbox box = server.create(CreateOptions.defaults().name("later")).detach();
    long agent = HostProcesses.agentOf(box.id());
    server.kill();
    Path record =
        server.home().resolve("data/engine/sandboxes").resolve(box.id()).resolve("record");
    String ours = Files.readString(record);
    Files.writeString(record, ours.replaceFirst("[0-9]+$", "1000") + " and more");

    Process refusing =
        server
            .launch()
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.to(folder.resolve("log").toFile()))
            .start();
    assertThat(refusing.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(refusing.exitValue()).isNotZero();
    assertThat(Files.readString(folder.resolve("log")))
        .contains("later version of Cove", "Nothing was changed")
        .doesNotContain("\tat ");
    assertThat(HostProcesses.isRunning(agent)).isTrue();

    Files.writeString(record, ours + " and more that we need not know");
    server.start();
    assertThat(server.cove().sandboxes().require("later").exec("true").exitCode()).isZero();
    assertThat(HostProcesses.agentOf(box.id())).isEqualTo(agent);
    server.cove().sandboxes().delete("later");
  }
}
