package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ProcessInfo;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A part of Cove dies, and nothing of the users' is lost. */
class CrashTest {
  private static final Command TICKING =
      Command.shell("i=0; while :; do i=$((i+1)); echo $i; sleep 0.05; done");

  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  @BeforeEach
  void startAgain() throws IOException {
    if (!server.isAlive()) {
      server.start();
    }
  }

  @Test
  void sandboxes_and_their_commands_outlive_a_crash_of_the_server() throws Exception {
    var wanted = CreateOptions.defaults().name("survivor").label("k", "v").env("KEPT", "yes");
    String id = server.create(wanted).detach().id();
    Sandbox before = server.cove().sandboxes().require(id);
    before.files().write("/home/user/work", "hours of it");
    ProcessInfo ticking = before.spawn(TICKING);
    int seen = firstTickAfter(before, ticking, 3);
    SandboxInfo info = before.fetchInfo();
    long agent = HostProcesses.agentOf(id);

    server.kill();
    assertThat(HostProcesses.isRunning(agent)).as("the agent lives without a server").isTrue();
    server.start();

    Sandbox after = server.cove().sandboxes().require("survivor");
    assertThat(after.fetchInfo()).isEqualTo(info);
    assertThat(HostProcesses.agentOf(id)).isEqualTo(agent);
    assertThat(after.files().readString("/home/user/work")).isEqualTo("hours of it");
    assertThat(after.requireProcess(ticking.processId()).running()).isTrue();
    assertThat(after.requireProcess(ticking.processId()).pid()).isEqualTo(ticking.pid());
    assertThat(firstTickAfter(after, ticking, seen)).isGreaterThan(seen);
    assertThat(after.exec("sh", "-c", "echo $KEPT").stdout()).isEqualTo("yes\n");
    try (Sandbox fresh = server.create()) {
      assertThat(fresh.exec("echo", "new").stdout()).isEqualTo("new\n");
    }
    after.delete();
    assertThat(HostProcesses.isRunning(agent)).as("the agent after the delete").isFalse();
  }

  /** Attaches and reads until the count has passed a number. */
  private static int firstTickAfter(Sandbox box, ProcessInfo process, int number)
      throws IOException {
    try (RunningCommand attached = box.attach(process.processId())) {
      var ticks =
          new BufferedReader(new InputStreamReader(attached.stdout(), StandardCharsets.UTF_8));
      for (String line = ticks.readLine(); line != null; line = ticks.readLine()) {
        if (Integer.parseInt(line) > number) {
          return Integer.parseInt(line);
        }
      }
      throw new AssertionError("The ticking ended");
    }
  }

  @Test
  void a_server_that_is_told_to_end_leaves_sandboxes_running() throws Exception {
    Sandbox before = server.create(CreateOptions.defaults().name("left alone")).detach();
    ProcessInfo ticking = before.spawn(TICKING);
    long agent = HostProcesses.agentOf(before.id());
    server.stop();
    assertThat(HostProcesses.isRunning(agent)).isTrue();
    server.start();
    Sandbox after = server.cove().sandboxes().require("left alone");
    assertThat(after.fetchInfo().state()).isEqualTo("running");
    assertThat(after.requireProcess(ticking.processId()).running()).isTrue();
    after.delete();
  }

  @Test
  void the_key_and_the_labels_of_before_a_crash_are_still_good() throws Exception {
    String made = server.cove().keys().create("survives").key();
    server.kill();
    server.start();
    try (var cove = Cove.connect(server.url(), made)) {
      assertThat(cove.sandboxes().list()).isNotNull();
    }
  }

  @Test
  void after_a_crash_of_the_spawner_the_next_create_works_and_sandboxes_stay() throws Exception {
    try (Sandbox before = server.create()) {
      before.files().write("/home/user/work", "kept");
      long spawner = HostProcesses.spawnerOf(server.pid());
      HostProcesses.signal(spawner, "KILL");
      Awaitility.await("the spawner to be gone").until(() -> !HostProcesses.isRunning(spawner));

      try (Sandbox after =
          server.create(CreateOptions.defaults().diskMb(100))) { // not from the pool
        assertThat(after.exec("echo", "built").stdout()).isEqualTo("built\n");
      }
      assertThat(before.exec("cat", "/home/user/work").stdout()).isEqualTo("kept");
      assertThat(before.fetchInfo().state()).isEqualTo("running");
      assertThat(HostProcesses.spawnerOf(server.pid())).isNotEqualTo(spawner);
    }
  }

  @Test
  void an_agent_that_dies_while_its_sandbox_is_stopped_costs_no_file() throws Exception {
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/kept", "kept");
      for (int i = 0; i < 15; i++) {
        long agent = HostProcesses.agentOf(box.id());
        var stopped = CompletableFuture.supplyAsync(() -> box.stop(Duration.ZERO, true));
        TimeUnit.MILLISECONDS.sleep(i);
        ProcessHandle.of(agent).ifPresent(ProcessHandle::destroyForcibly);
        assertThat(stopped.get(60, TimeUnit.SECONDS).state()).isEqualTo("stopped");
        assertThat(box.start().state()).isEqualTo("running");
        assertThat(box.files().readString("/home/user/kept")).isEqualTo("kept");
      }
    }
  }

  @Test
  void a_sandbox_whose_agent_is_killed_stops_with_a_reason_keeps_its_files_and_starts_again()
      throws Exception {
    Sandbox box = server.create(CreateOptions.defaults().name("doomed")).detach();
    box.spawn(Command.of("sleep", "600"));
    box.files().write("/home/user/work", "kept");
    HostProcesses.signal(HostProcesses.agentOf(box.id()), "KILL");
    Awaitility.await("the sandbox to be reported as stopped")
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> box.fetchInfo().state().equals("stopped"));
    assertThat(box.fetchInfo().reason()).contains("agent_ended");
    assertThat(HostProcesses.inSandbox(box.id())).isEmpty();
    assertThat(box.files().readString("/home/user/work")).isEqualTo("kept");
    assertThat(box.fetchInfo().state()).isEqualTo("running");
    assertRefused(
        409, "conflict", () -> server.create(CreateOptions.defaults().name("doomed")).close());
    box.delete();
    try (Sandbox again = server.create(CreateOptions.defaults().name("doomed"))) {
      assertThat(again.exec("true").exitCode()).isZero();
    }
  }

  @Test
  void a_sandbox_that_dies_while_there_is_no_server_is_not_forgotten() throws Exception {
    Sandbox box = server.create(CreateOptions.defaults().name("died alone")).detach();
    long agent = HostProcesses.agentOf(box.id());
    server.kill();
    HostProcesses.signal(agent, "KILL");
    Awaitility.await().until(() -> !HostProcesses.isRunning(agent));
    server.start();
    SandboxInfo info = server.cove().sandboxes().require("died alone").fetchInfo();
    assertThat(info.id()).isEqualTo(box.id());
    assertThat(info.state()).isEqualTo("stopped");
    assertThat(info.reason()).contains("lost");
    server.cove().sandboxes().delete("died alone");
    assertThat(server.cove().sandboxes().find("died alone")).isEmpty();
  }
}
