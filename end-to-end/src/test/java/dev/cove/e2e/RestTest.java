package dev.cove.e2e;

import static dev.cove.e2e.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sandboxes that rest, and what takes them out of it. */
class RestTest {
  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  @Test
  void a_paused_sandbox_keeps_its_memory_and_is_woken_by_whoever_uses_it() throws Exception {
    try (Sandbox box = server.create()) {
      long counter =
          box.spawn(
                  Command.of("sh", "-c", "i=0; while :; do i=$((i+1)); echo $i; sleep 0.05; done"))
              .processId();
      SandboxInfo paused = box.pause();
      assertThat(paused.state()).isEqualTo("paused");
      assertThat(paused.memory()).contains("kept");
      assertThat(paused.restingSince()).isPresent();
      box.metrics();
      box.label(Map.of("a", "b"));
      assertThat(box.fetchInfo().state()).isEqualTo("paused");

      List<Future<String>> answers = new ArrayList<>();
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int i = 0; i < 20; i++) {
          answers.add(threads.submit(() -> box.exec("echo", "awake").stdout()));
        }
      }
      for (Future<String> answer : answers) {
        assertThat(answer.get()).isEqualTo("awake\n");
      }
      assertThat(box.requireProcess(counter).exit()).isEmpty();
      box.pause();
      assertThat(box.files().exists("/home/user")).isTrue();
      assertThat(box.resume().state()).isEqualTo("running");
    }
  }

  @Test
  void a_paused_sandbox_stays_so_over_a_crash_of_the_server() throws Exception {
    try (Sandbox box = server.create(CreateOptions.defaults().name("still"))) {
      long sleeper = box.spawn(Command.of("sleep", "600")).processId();
      box.pause();
      server.kill();
      server.start();
      Sandbox same = server.cove().sandboxes().require("still");
      assertThat(same.info().state()).isEqualTo("paused");
      assertThat(same.requireProcess(sleeper).exit()).isEmpty();
      assertThat(same.fetchInfo().state()).isEqualTo("running");
      same.delete();
      box.detach();
    }
  }

  @Test
  void checkpoints_and_forks_of_a_paused_sandbox_leave_it_paused() {
    try (Sandbox box = server.create()) {
      box.exec("sh", "-c", "echo kept > /home/user/file");
      box.spawn(Command.of("sleep", "600"));
      box.pause();
      Checkpoint checkpoint = box.checkpoint("paused");
      assertThat(checkpoint.frozen()).isZero();
      try (Sandbox child = box.fork()) {
        assertThat(child.files().readString("/home/user/file")).isEqualTo("kept\n");
        assertThat(child.fetchInfo().state()).isEqualTo("running");
      }
      assertThat(box.fetchInfo().state()).isEqualTo("paused");

      box.exec("rm", "/home/user/file");
      box.pause();
      box.restore(checkpoint.id());
      assertThat(box.fetchInfo().state()).isEqualTo("running");
      assertThat(box.files().readString("/home/user/file")).isEqualTo("kept\n");
    }
  }

  @Test
  void a_stopped_sandbox_starts_on_its_files_with_the_same_id_and_volumes() {
    Volume volume = server.cove().volumes().create("rest-volume", 64);
    var options = CreateOptions.defaults().name("rested").volume(volume.id(), "/data", false);
    try (Sandbox box = server.create(options)) {
      box.exec(Command.of("sh", "-c", "echo one > /data/x; echo two > /var/y").user("root"));
      SandboxInfo stopped = box.stop(Duration.ofSeconds(2), false);
      assertThat(stopped.state()).isEqualTo("stopped");
      assertThat(stopped.reason()).contains("asked");
      assertThat(stopped.memory()).contains("gone");
      assertRefused(409, "conflict", () -> box.exec("true"));

      assertThat(box.start().state()).isEqualTo("running");
      assertThat(box.exec("cat", "/data/x", "/var/y").stdout()).isEqualTo("one\ntwo\n");
      assertThat(box.exec("hostname").stdout()).isEqualTo(box.id() + "\n");
    }
    server.cove().volumes().delete("rest-volume");
  }

  @Test
  void processes_are_asked_to_end_before_they_are_made_to() {
    try (Sandbox box = server.create()) {
      String waits =
          "trap 'echo asked > /home/user/asked; exit' TERM; touch /home/user/ready;"
              + " while :; do sleep 0.1; done";
      box.spawn(Command.of("sh", "-c", waits));
      Awaitility.await().until(() -> box.files().exists("/home/user/ready"));
      box.stop(Duration.ofSeconds(30), true);
      assertThat(box.files().readString("/home/user/asked")).isEqualTo("asked\n");
      assertThat(box.fetchInfo().state()).isEqualTo("running");
    }
  }

  @Test
  void a_stopped_sandbox_can_be_kept_and_forked_and_stays_stopped() {
    try (Sandbox box = server.create()) {
      box.exec("sh", "-c", "echo kept > /home/user/file");
      box.stop();
      Checkpoint checkpoint = box.checkpoint("at rest");
      try (Sandbox child = box.fork()) {
        assertThat(child.files().readString("/home/user/file")).isEqualTo("kept\n");
      }
      assertThat(box.fetchInfo().state()).isEqualTo("stopped");
      box.restore(checkpoint.id());
      assertThat(box.fetchInfo().state()).isEqualTo("running");
      assertThat(box.files().readString("/home/user/file")).isEqualTo("kept\n");
    }
  }

  @Test
  void a_stopped_sandbox_outlives_a_crash_of_the_server() throws Exception {
    Sandbox box = server.create(CreateOptions.defaults().name("asleep")).detach();
    box.exec("sh", "-c", "echo kept > /home/user/file");
    box.stop(Duration.ofSeconds(1), true);
    server.kill();
    server.start();
    Sandbox same = server.cove().sandboxes().require("asleep");
    assertThat(same.info().state()).isEqualTo("stopped");
    assertThat(same.files().readString("/home/user/file")).isEqualTo("kept\n");
    same.delete();
  }
}
