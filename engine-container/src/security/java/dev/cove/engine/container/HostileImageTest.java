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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Images that try to send the engine's mounts and files somewhere else. */
class HostileImageTest {
  private static final Resources SMALL = new Resources(1_000, 128, 64, 64);

  @TempDir Path folder;
  private ContainerEngine engine;
  private RootFs root;
  private Path image;

  @BeforeEach
  void open() throws Exception {
    image = folder.resolve("image");
    root = HostRoot.in(image);
    engine = ContainerEngine.open(new EngineHome(folder.resolve("data"), folder.resolve("run")));
  }

  @AfterEach
  void close() {
    engine.present().forEach(engine::remove);
    engine.close();
  }

  @ParameterizedTest
  @CsvSource({
    "dev, ../../../../../../../../dev",
    "dev, /",
    "proc, /proc",
    "proc, /etc",
    "sys, ..",
    "sys, tmp",
    "etc, /etc",
    "etc, tmp",
    "usr, /"
  })
  void a_link_where_something_is_mounted_or_written_is_refused(String name, String target)
      throws Exception {
    deleteTree(image.resolve(name));
    Files.createSymbolicLink(image.resolve(name), Path.of(target));
    var plan = new CagePlan(SandboxId.random(), root, SMALL);
    assertThatThrownBy(() -> engine.start(plan))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("/" + name)
        .hasMessageMatching("(?s).*(Not a directory|symbolic link).*");
    assertThat(engine.present()).isEmpty();
  }

  @Test
  void a_file_where_a_folder_must_be_is_refused() throws Exception {
    Files.delete(image.resolve("dev"));
    Files.writeString(image.resolve("dev"), "");
    var plan = new CagePlan(SandboxId.random(), root, SMALL);
    assertThatThrownBy(() -> engine.start(plan)).hasMessageContaining("/dev");
    assertThat(engine.present()).isEmpty();
  }

  @Test
  void links_at_the_files_the_engine_writes_are_replaced_not_followed() throws Exception {
    Path canary = Files.writeString(folder.resolve("canary"), "untouched");
    for (String name : List.of("hostname", "hosts", "machine-id")) {
      Files.createSymbolicLink(image.resolve("etc").resolve(name), canary);
    }
    var plan = new CagePlan(SandboxId.random(), root, SMALL);
    try (var box = Box.of(engine.start(plan))) {
      assertThat(box.user("cat /etc/hostname")).isEqualTo(plan.id().value());
      assertThat(box.user("find /etc -type l")).isEmpty();
    }
    assertThat(canary).hasContent("untouched");
  }

  @Test
  void an_image_without_any_of_the_folders_gets_them() throws Exception {
    for (String name : List.of("dev", "proc", "sys", "etc")) {
      deleteTree(image.resolve(name));
    }
    try (var box = Box.of(engine.start(new CagePlan(SandboxId.random(), root, SMALL)))) {
      assertThat(box.guest().files("0").stat("/dev/null", true).path()).isEqualTo("/dev/null");
      assertThat(box.guest().files("0").stat("/proc/1", true).path()).isEqualTo("/proc/1");
    }
    assertThat(image.resolve("dev")).doesNotExist();
  }

  @Test
  void device_nodes_in_an_image_do_not_open() throws Exception {
    var mknod =
        new ProcessBuilder("mknod", "-m", "666", image.resolve("kmsg").toString(), "c", "1", "11")
            .start();
    assertThat(mknod.waitFor()).isZero();
    try (var box = Box.of(engine.start(new CagePlan(SandboxId.random(), root, SMALL)))) {
      assertThat(box.run("root", "head -c 1 /kmsg").output()).contains("Permission denied");
    }
  }

  @Test
  void a_graft_may_lie_deep_and_its_missing_folders_are_made() throws Exception {
    var deep = new RootFs.Graft("/srv/deep/share", Path.of("/usr/share"));
    var with = new RootFs(root.layers(), List.of(root.grafts().getFirst(), deep));
    try (var box = Box.of(engine.start(new CagePlan(SandboxId.random(), with, SMALL)))) {
      assertThat(box.user("test -d /srv/deep/share/doc && echo there")).isEqualTo("there");
      box.root("echo own > /srv/deep/share/own");
    }
    assertThat(Path.of("/usr/share/own")).doesNotExist();
  }

  @Test
  void a_graft_cannot_climb_out() {
    var up = new RootFs.Graft("/tmp/../../../etc", Path.of("/usr/share"));
    var with = new RootFs(root.layers(), List.of(up));
    var plan = new CagePlan(SandboxId.random(), with, SMALL);
    assertThatThrownBy(() -> engine.start(plan)).isInstanceOf(EngineException.class);
    assertThat(engine.present()).isEmpty();
  }

  private static void deleteTree(Path folder) throws Exception {
    FolderRemoval.remove(folder);
  }
}
