package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.Box;
import dev.cove.testing.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk of the server's data is full at different points of a seal. */
class FullDiskTest {
  private static final Resources SMALL = new Resources(1_000, 256, 16, 64);
  private static final int[] LEFT_KB = {0, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init") // before each test
  private LoopDisk loopDisk;

  @SuppressWarnings("NullAway.Init") // before each test
  private Path disk;

  @SuppressWarnings("NullAway.Init") // before each test
  private EngineHome home;

  @SuppressWarnings("NullAway.Init") // before each test
  private RootFs root;

  @SuppressWarnings("NullAway.Init") // before each test
  private ContainerEngine engine;

  @BeforeEach
  void open() throws Exception {
    loopDisk = LoopDisk.make(folder, "96M", List.of("mkfs.ext4", "-q", "-m", "0"));
    disk = loopDisk.folder();
    home = new EngineHome(disk.resolve("data"), folder.resolve("run"));
    root = HostRoot.in(folder.resolve("root"));
    engine = ContainerEngine.open(home, new EngineSettings(0, 0, true, true));
  }

  @AfterEach
  void close() throws Exception {
    try {
      engine.present().forEach(engine::remove);
      engine.store().layers().forEach(engine.store()::removeLayer);
      engine.close();
    } finally {
      loopDisk.close();
    }
  }

  private Box on(List<LayerId> sealed) throws IOException {
    return Box.of(engine.start(new CagePlan(SandboxId.random(), root.over(sealed), SMALL)));
  }

  private Path fill(int leftKb) throws IOException {
    Path filler = disk.resolve("filler");
    byte[] block = new byte[1024];
    Path reserve = Files.write(disk.resolve("reserve"), new byte[leftKb * 1024]);
    try (var out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
    Files.delete(reserve);
    return filler;
  }

  private static Optional<EngineException> trySeal(Box box, LayerId layer) {
    try {
      box.cage().seal(layer, true);
      return Optional.empty();
    } catch (EngineException e) {
      return Optional.of(e);
    }
  }

  private static List<LayerId> stack(Box box, LayerId layer) {
    List<LayerId> stack = new ArrayList<>(box.cage().root().sealed());
    if (!stack.contains(layer)) {
      stack.addFirst(layer);
    }
    return stack;
  }

  private int failures(boolean programRuns) throws Exception {
    int failures = 0;
    for (int left : LEFT_KB) {
      try (var box = on(List.of())) {
        box.root(
            "echo %d > /tmp/file; head -c 400K /dev/urandom > /tmp/noise; sync".formatted(left));
        if (programRuns) {
          box.root("sleep 600 >/dev/null 2>&1 &");
        }
        String noise = box.root("sha256sum < /tmp/noise");
        Path filler = fill(left);
        var layer = LayerId.random();
        Optional<EngineException> failure = trySeal(box, layer);
        if (failure.isPresent()) {
          failures++;
          assertThat(failure.get()).hasMessageMatching("(?s).*(space|disk|layer|image).*");
          assertThat(engine.store().layers()).as("%d KB were left", left).isEmpty();
        }
        assertThat(box.root("cat /tmp/file")).isEqualTo(Integer.toString(left));
        Files.delete(filler);
        var next = LayerId.random();
        assertThat(trySeal(box, next)).as("%d KB were left", left).isEmpty();
        try (var child = on(stack(box, next))) {
          assertThat(child.root("cat /tmp/file; sha256sum < /tmp/noise"))
              .isEqualTo(left + "\n" + noise);
        }
      }
      engine.store().layers().forEach(engine.store()::removeLayer);
    }
    return failures;
  }

  @Test
  void an_idle_sandbox_is_sealed_or_runs_on_and_is_sealed_when_there_is_room() throws Exception {
    assertThat(failures(false)).isBetween(1, LEFT_KB.length - 1);
  }

  @Test
  void a_busy_sandbox_is_sealed_or_runs_on_and_is_sealed_when_there_is_room() throws Exception {
    assertThat(failures(true)).isBetween(1, LEFT_KB.length - 1);
  }
}
