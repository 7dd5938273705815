package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.engine.CagePlan;
import dev.cove.engine.RootFs;
import dev.cove.engine.Sealing;
import dev.cove.model.LayerId;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.Box;
import dev.cove.testing.HostRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The server's data on a file system whose files can share what they have in common. */
class SharedExtentsTest {
  private static final Resources SMALL = new Resources(1_000, 256, 64, 64);
  private static final long WRITTEN = 20_000_000;

  @TempDir private Path folder;

  /** How a file system is made. */
  record FileSystem(String name, List<String> mkfs) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<FileSystem> fileSystems() {
    return Stream.of(
        new FileSystem("xfs", List.of("mkfs.xfs", "-q", "-m", "reflink=1")),
        new FileSystem("btrfs", List.of("mkfs.btrfs", "-q")));
  }

  @ParameterizedTest
  @MethodSource("fileSystems")
  void the_layer_of_a_sandbox_in_which_a_program_runs_shares_its_blocks(FileSystem fileSystem)
      throws Exception {
    assumeTrue(
        Files.readAllLines(Path.of("/proc/filesystems")).stream()
            .anyMatch(line -> line.strip().equals(fileSystem.name())),
        () -> "This kernel has no " + fileSystem.name());
    RootFs root = HostRoot.in(folder.resolve("root"));
    try (LoopDisk disk = LoopDisk.make(folder, "512M", fileSystem.mkfs())) {
      var home = new EngineHome(disk.folder().resolve("data"), folder.resolve("run"));
      try (var engine = ContainerEngine.open(home, new EngineSettings(0, 0, true, true))) {
        checkSharing(engine, home, root);
      }
    }
  }

  private static void checkSharing(ContainerEngine engine, EngineHome home, RootFs root)
      throws Exception {
    var layer = LayerId.random();
    try (var box = Box.of(engine.start(new CagePlan(SandboxId.random(), root, SMALL)))) {
      box.root("head -c %d /dev/urandom > /tmp/noise; sync".formatted(WRITTEN));
      box.root("sleep 600 >/dev/null 2>&1 &");
      String noise = box.root("sha256sum < /tmp/noise");
      Sealing sealing = box.cage().seal(layer, true);
      assertThat(sealing.moved()).as("a program runs").isFalse();
      assertThat(sharedBytes(home.sealedImages().resolve(layer.value())))
          .isGreaterThanOrEqualTo(WRITTEN);
      box.root("echo changed > /tmp/noise");
      List<LayerId> stack = new ArrayList<>(box.cage().root().sealed());
      stack.addFirst(layer);
      try (var child =
          Box.of(engine.start(new CagePlan(SandboxId.random(), root.over(stack), SMALL)))) {
        assertThat(child.root("sha256sum < /tmp/noise")).isEqualTo(noise);
      }
    } finally {
      engine.present().forEach(engine::remove);
      engine.store().layers().forEach(engine.store()::removeLayer);
    }
  }

  /** As the file system itself counts them: "12: 100.. 199: 300.. 399: 100: shared". */
  private static long sharedBytes(Path file) throws Exception {
    long blocks = 0;
    for (String line :
        LoopDisk.outputOf("filefrag", "-v", "-b4096", file.toString()).lines().toList()) {
      String[] fields = line.split(":");
      if (fields.length > 3 && line.contains("shared")) {
        blocks += Long.parseLong(fields[3].strip());
      }
    }
    return blocks * 4096;
  }
}
