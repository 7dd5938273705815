package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.control.ledger.Ledger;
import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.LifeChange;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What is there after the host went down: every process of server and sandboxes is killed, and the
 * ledger was last in use under another boot.
 */
class HostRestartTest {
  static final Set<FailPoint> POINTS = Set.of(FailPoint.RECOVERY_FOUND, FailPoint.RECOVERY_SETTLED);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String FILE = "/home/user/file";

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  @AfterEach
  void removeAll() throws IOException {
    if (!server.isAlive()) {
      server.start();
    }
    server.cove().sandboxes().list().forEach(box -> server.cove().sandboxes().delete(box.id()));
  }

  private static Sandbox create(String name, LifeChange life) {
    Sandbox box = server.create(CreateOptions.defaults().name(name).diskMb(64).life(life)).detach();
    box.files().write(FILE, name);
    box.spawn(Command.of("sleep", "6000"));
    return box;
  }

  /** Without a server; it is started by whoever calls this. */
  private static void hostGoesDown() throws Exception {
    List<String> ids = server.cove().sandboxes().list().stream().map(SandboxInfo::id).toList();
    server.kill();
    List<Long> processes = new ArrayList<>();
    for (String id : ids) {
      processes.addAll(HostProcesses.inSandbox(id));
    }
    for (long pid : processes) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
    for (Sandboxed one : paused(ids)) {
      one.thaw();
    }
    Awaitility.await("all processes to end")
        .atMost(PATIENCE)
        .until(() -> processes.stream().noneMatch(HostProcesses::isRunning));
    try (Ledger ledger = Ledger.open(server.home().resolve("data/ledger.db"))) {
      ledger.write(session -> session.run("update host set boot_id = 'the boot before'"));
    }
  }

  /** A process that stands still does not die; with the host, it would have. */
  private record Sandboxed(Path state, String word) {
    void thaw() throws IOException {
      Files.writeString(state, word);
    }
  }

  private static List<Sandboxed> paused(List<String> ids) {
    return server.cgroups().stream()
        .flatMap(group -> ids.stream().map(group::resolve))
        .flatMap(group ->
            Stream.of(
                new Sandboxed(group.resolve("freezer.state"), "THAWED"),
                new Sandboxed(group.resolve("cgroup.freeze"), "0")))
        .filter(one -> Files.exists(one.state()))
        .toList();
  }

  @Test
  void what_ran_is_stopped_or_starts_again_and_what_rested_is_as_it_was() throws Exception {
    var start = LifeChange.none().onHostRestart("start");
    create("ran", LifeChange.none());
    create("again", start);
    create("paused", start).pause();
    create("stopped", start).stop();
    hostGoesDown();
    server.start();

    var boxes = server.cove().sandboxes();
    Awaitility.await("it to start again")
        .atMost(PATIENCE)
        .until(() -> boxes.require("again").info().state().equals("running"));
    for (String name : List.of("ran", "paused")) {
      assertThat(boxes.require(name).info().state()).isEqualTo("stopped");
      assertThat(boxes.require(name).info().reason()).contains("host_restarted");
    }
    assertThat(boxes.require("stopped").info().reason()).contains("asked");
    for (String name : List.of("ran", "again", "paused")) {
      assertThat(boxes.require(name).files().readString(FILE)).isEqualTo(name);
    }
  }

  @Test
  void nobody_is_forgotten_when_the_server_ends_while_it_finds_out() throws Exception {
    for (FailPoint point : POINTS) {
      create("again " + point, LifeChange.none().onHostRestart("start"));
      create("ran " + point, LifeChange.none());
      hostGoesDown();
      assertThat(server.endsWhileStarting(point.name(), PATIENCE)).hasValue(FailPoint.EXIT_CODE);
      server.start();
      var boxes = server.cove().sandboxes();
      Awaitility.await("it to start again")
          .atMost(PATIENCE)
          .until(() -> boxes.require("again " + point).info().state().equals("running"));
      assertThat(boxes.require("ran " + point).info().reason()).contains("host_restarted");
      removeAll();
      Awaitility.await("home and lists to fit together")
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(HomeAudit.faultsOf(server)).isEmpty());
    }
  }
}
