package dev.cove.engine.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.testing.HostTraces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A file system of its own, in a file. */
final class LoopDisk implements AutoCloseable {
  private final Path folder;

  private LoopDisk(Path folder) {
    this.folder = folder;
  }

  static LoopDisk make(Path below, String size, List<String> mkfs) throws Exception {
    Path folder = Files.createDirectory(below.resolve("disk"));
    Path image = below.resolve("disk.image");
    run("truncate", "-s", size, image.toString());
    List<String> command = new ArrayList<>(mkfs);
    command.add(image.toString());
    run(command.toArray(String[]::new));
    run("mount", "-o", "loop", image.toString(), folder.toString());
    return new LoopDisk(folder);
  }

  Path folder() {
    return folder;
  }

  private static void run(String... command) throws Exception {
    String _ = outputOf(command);
  }

  static String outputOf(String... command) throws Exception {
    var process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  @Override
  public void close() {
    try {
      HostTraces.eventually("the disk can be unmounted", this::unmounted);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private boolean unmounted() {
    try {
      return new ProcessBuilder("umount", folder.toString()).start().waitFor() == 0;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
