package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A layer that does not come to be leaves the sandbox as it was. */
class InterruptedSealingTest {
  private static final Resources SMALL = new Resources(1_000, 256, 64, 64);

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init") // before each test
  private EngineHome home;

  @SuppressWarnings("NullAway.Init") // before each test
  private RootFs root;

  @SuppressWarnings("NullAway.Init") // before each test
  private ContainerEngine engine;

  @BeforeEach
  void open() throws IOException {
    home = new EngineHome(folder.resolve("data"), folder.resolve("run"));
    root = HostRoot.in(folder.resolve("root"));
    engine = ContainerEngine.open(home, new EngineSettings(0, 0, true, true));
  }

  @AfterEach
  void close() {
    engine.present().forEach(engine::remove);
    engine.store().layers().forEach(engine.store()::removeLayer);
    engine.close();
  }

  private Box start() throws IOException {
    return Box.of(engine.start(new CagePlan(SandboxId.random(), root, SMALL)));
  }

  private static void assertWell(Box box) {
    assertThat(box.root("echo more >> /tmp/file; cat /tmp/file")).isEqualTo("one\nmore");
  }

  @Test
  void a_failure_in_the_middle_is_taken_back() throws Exception {
    try (var box = start()) {
      box.root("echo one > /tmp/file");
      Path base = home.baseImages().resolve("ext4-64");
      Path aside = home.baseImages().resolve("aside");
      Files.move(base, aside);
      assertThatThrownBy(() -> box.cage().seal(LayerId.random(), true))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("base image");
      assertThat(engine.store().layers()).isEmpty();
      assertWell(box);

      Files.move(aside, base);
      assertThat(box.cage().seal(LayerId.random(), true).moved()).isTrue();
      assertThat(box.root("cat /tmp/file")).isEqualTo("one\nmore");
    }
  }

  @Test
  void a_death_before_the_root_was_changed_is_taken_back_by_the_next_engine() throws Exception {
    var box = start();
    SandboxId id = box.cage().id();
    box.root("echo one > /tmp/file");
    var layer = LayerId.random();
    box.cage().pause();
    Files.writeString(home.sandbox(id).resolve("sealing"), layer.value() + " .");
    Files.move(home.sandbox(id).resolve("image"), home.sealedImages().resolve(layer.value()));
    box.guest().close();
    engine.close();

    engine = ContainerEngine.open(home, new EngineSettings(0, 0, true, true));
    try (var adopted = Box.of(engine.adopt(id).orElseThrow())) {
      assertWell(adopted);
      assertThat(engine.store().layers()).isEmpty();
      assertThat(adopted.cage().root().sealed()).isEmpty();
      assertThat(adopted.cage().usage().disk()).isPresent();
    }
  }

  @Test
  void a_death_after_the_root_was_changed_is_written_down_by_the_next_engine() throws Exception {
    var box = start();
    SandboxId id = box.cage().id();
    box.root("echo one > /tmp/file");
    Path sandbox = home.sandbox(id);
    byte[] running = Files.readAllBytes(sandbox.resolve("process"));
    byte[] standing = Files.readAllBytes(sandbox.resolve("root"));
    var layer = LayerId.random();
    box.cage().seal(layer, true);
    Files.write(sandbox.resolve("process"), running);
    Files.write(sandbox.resolve("root"), standing);
    Files.writeString(sandbox.resolve("sealing"), layer.value() + " .");
    box.guest().close();
    engine.close();

    engine = ContainerEngine.open(home, new EngineSettings(0, 0, true, true));
    try (var adopted = Box.of(engine.adopt(id).orElseThrow())) {
      assertWell(adopted);
      assertThat(adopted.cage().root().sealed()).containsExactly(layer);
      assertThat(adopted.cage().usage().disk()).isPresent();
    }
  }
}
