package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server, and with it the spawner, is killed while checkpoints are taken. */
class CheckpointCrashTest {
  private static final int CRASHES = 10;
  private static final String FILE = "/home/user/state";

  @RegisterExtension
  static final RunningServer server = RunningServer.with(Map.of("COVE_POOL_SIZE", "0"));

  private final Random random = new Random(20261116);

  /** What the file held when a checkpoint was acknowledged. */
  private final Map<String, String> promised = new ConcurrentHashMap<>();

  @Test
  void what_was_acknowledged_is_there_and_the_sandboxes_run_on() throws Exception {
    List<String> boxes = List.of(create("idle"), create("busy"));
    server
        .cove()
        .sandboxes()
        .require("busy")
        .exec("sh", "-c", "nohup sleep 6000 >/dev/null 2>&1 &");
    for (int crash = 0; crash < CRASHES; crash++) {
      List<Thread> workers = new ArrayList<>();
      for (String box : boxes) {
        int round = crash;
        workers.add(Thread.ofVirtual().start(() -> takeMany(box, round)));
      }
      if (crash % 2 == 0) {
        int round = crash;
        Awaitility.await("a checkpoint of this round, or the end of its workers")
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofMillis(5))
            .until(() -> acknowledgedIn(round) || workers.stream().noneMatch(Thread::isAlive));
      }
      Thread.sleep(random.nextInt(250));
      server.kill();
      for (Thread worker : workers) {
        worker.join();
      }
      server.start();
      for (String id : boxes) {
        Sandbox box = server.cove().sandboxes().require(id);
        assertThat(box.info().state()).isEqualTo("running");
        String mark = "after crash " + crash;
        box.files().write(FILE, mark);
        assertThat(box.files().readString(FILE)).isEqualTo(mark);
      }
      assertThat(server.cove().checkpoints().list())
          .extracting(Checkpoint::id)
          .containsAll(promised.keySet());
    }
    assertThat(promised).isNotEmpty();
    assertThat(
            server
                .cove()
                .sandboxes()
                .require("busy")
                .exec("sh", "-c", "pgrep -x sleep | wc -l")
                .stdout()
                .strip())
        .isEqualTo("1");
    checkContents();
    removeAll(boxes);
  }

  private boolean acknowledgedIn(int round) {
    return promised.values().stream().anyMatch(content -> content.contains(" " + round + " "));
  }

  private String create(String name) {
    return server.create(CreateOptions.defaults().name(name).diskMb(64)).detach().id();
  }

  private void takeMany(String id, int round) {
    try {
      Sandbox box = server.cove().sandboxes().require(id);
      for (int i = 0; i < 3; i++) {
        String content = "%s %d %d".formatted(id, round, i);
        box.files().write(FILE, content);
        promised.put(box.checkpoint().id(), content);
      }
    } catch (CoveException | IllegalStateException e) {
      // The server has been killed under us, which is what this is about.
      assertThat(e).isNotNull();
    }
  }

  private void checkContents() {
    promised.forEach((checkpoint, content) -> {
      try (Sandbox box = server.create(CreateOptions.defaults().checkpoint(checkpoint))) {
        assertThat(box.files().readString(FILE)).isEqualTo(content);
      }
    });
  }

  private void removeAll(List<String> boxes) {
    boxes.forEach(server.cove().sandboxes()::delete);
    server.cove().checkpoints().list().forEach(one -> server.cove().checkpoints().delete(one.id()));
    Awaitility.await("no layer is left").untilAsserted(() -> assertThat(layers()).isZero());
  }

  private static long layers() throws IOException {
    try (var files = Files.list(server.home().resolve("data/engine/sealed"))) {
      return files.count();
    }
  }
}
