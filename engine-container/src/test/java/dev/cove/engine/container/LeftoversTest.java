package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.Box;
import dev.cove.testing.HostRoot;
import dev.cove.testing.HostTraces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a crash at any point may leave behind, and that it is found and removed. */
class LeftoversTest {
  private static final Resources SMALL = new Resources(1_000, 128, 64, 64);

  @TempDir Path folder;
  private EngineHome home;
  private ContainerEngine engine;
  private RootFs root;

  @BeforeEach
  void open() throws Exception {
    home = new EngineHome(folder.resolve("data"), folder.resolve("run"));
    root = HostRoot.in(folder.resolve("root"));
    engine = ContainerEngine.open(home);
  }

  @AfterEach
  void close() {
    engine.present().forEach(engine::remove);
    engine.close();
  }

  private void assertRemoved(SandboxId id) throws Exception {
    assertThat(engine.present()).contains(id);
    assertThat(engine.adopt(id)).isEmpty();
    engine.remove(id);
    assertThat(engine.present()).doesNotContain(id);
    assertThat(HostTraces.of(id.value(), folder)).isEmpty();
  }

  @Test
  void a_folder_that_was_made_and_nothing_else() throws Exception {
    var id = SandboxId.random();
    Files.createDirectory(home.sandbox(id));
    assertRemoved(id);
  }

  @Test
  void a_cgroup_without_a_folder() throws Exception {
    var id = SandboxId.random();
    var cgroups = CgroupLayout.read().cgroups(GroupName.of(home));
    cgroups.create(id, SMALL);
    assertRemoved(id);
  }

  @Test
  void a_socket_without_a_folder() throws Exception {
    var id = SandboxId.random();
    Files.createFile(home.socket(id));
    assertRemoved(id);
  }

  @Test
  void an_agent_whose_record_was_not_written_yet() throws Exception {
    var cage = engine.start(new CagePlan(SandboxId.random(), root, SMALL));
    Files.delete(home.sandbox(cage.id()).resolve("process"));
    engine.close();
    engine = ContainerEngine.open(home);
    assertRemoved(cage.id());
  }

  @Test
  void a_record_that_was_cut_off() throws Exception {
    var cage = engine.start(new CagePlan(SandboxId.random(), root, SMALL));
    Path process = home.sandbox(cage.id()).resolve("process");
    String text = Files.readString(process);
    Files.writeString(process, text.substring(0, text.length() - 2));
    engine.close();
    engine = ContainerEngine.open(home);
    assertRemoved(cage.id());
  }

  @Test
  void a_sandbox_of_an_earlier_boot_whose_pid_is_somebody_else_s_now() throws Exception {
    var id = SandboxId.random();
    Path sandbox = Files.createDirectory(home.sandbox(id));
    var bystander = new ProcessBuilder("sleep", "100").start();
    try {
      new CageRecord("00000000-0000-0000-0000-000000000000", 0x1000_0000, 1).write(sandbox);
      var process = new ProcessKey((int) bystander.pid(), 1);
      CageRecord.writeRunning(sandbox, new CageRecord.Running(process, -1));
      assertRemoved(id);
      assertThat(bystander.isAlive()).isTrue();
    } finally {
      bystander.destroyForcibly();
      bystander.waitFor();
    }
  }

  @Test
  void spare_images_of_a_spawner_that_was_killed_are_swept() throws Exception {
    Path stray = Files.createFile(home.spareImages().resolve("12345"));
    engine.close();
    engine = ContainerEngine.open(home);
    assertThat(engine.spawnerPid()).isPositive();
    HostTraces.eventually("the stray image goes", () -> Files.notExists(stray));
  }

  @Test
  void a_spawner_killed_in_the_middle_of_starts_loses_no_track() throws Exception {
    var started = new HashSet<SandboxId>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<SandboxId>> starts = new ArrayList<>();
      Callable<SandboxId> start =
          () -> engine.start(new CagePlan(SandboxId.random(), root, SMALL)).id();
      for (int i = 0; i < 12; i++) {
        starts.add(threads.submit(start));
        if (i == 6) {
          ProcessHandle.of(engine.spawnerPid()).ifPresent(ProcessHandle::destroyForcibly);
        }
      }
      for (var one : starts) {
        try {
          started.add(one.get());
        } catch (ExecutionException e) {
          assertThat(e.getCause()).isInstanceOf(EngineException.class);
        }
      }
    }
    assertThat(engine.present()).isEqualTo(started);
    for (var id : started) {
      try (var box = Box.of(engine.adopt(id).orElseThrow())) {
        assertThat(box.user("echo alive")).isEqualTo("alive");
      }
    }
    assertThat(engine.present()).isEmpty();
  }

  @Test
  void a_second_engine_on_the_same_home_is_refused() throws Exception {
    assertThatThrownBy(() -> ContainerEngine.open(home))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("already");
    try (var box = Box.of(engine.start(new CagePlan(SandboxId.random(), root, SMALL)))) {
      assertThat(box.user("echo works")).isEqualTo("works");
    }
    assertThat(ContainerEngine.examine().usable()).isTrue();
  }

  @Test
  void a_name_too_long_for_a_socket_is_refused_at_once() {
    Path deep = Path.of("/tmp", "x".repeat(100));
    assertThatThrownBy(() -> new EngineHome(deep, deep))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("COVE_HOME");
  }
}
