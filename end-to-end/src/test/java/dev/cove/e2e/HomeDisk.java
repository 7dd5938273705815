package dev.cove.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A disk of a server's own, in a file, that can be filled. */
final class HomeDisk implements AutoCloseable {
  private static final long ROOM_FOR_TABLES = 8L << 20;

  private final String size;
  private @Nullable Path image;
  private @Nullable Path at;

  private HomeDisk(String size) {
    this.size = size;
  }

  static HomeDisk of(String size) {
    return new HomeDisk(size);
  }

  void mountAt(Path folder) {
    try {
      image = Files.createTempFile("cove-disk-", ".image");
      at = Files.createDirectory(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    run("truncate", "-s", size, image.toString());
    run("mkfs.ext4", "-q", "-F", "-m", "0", image.toString());
    run("mount", "-o", "loop", image.toString(), folder.toString());
  }

  /** To its last block. */
  void fill() throws IOException {
    Path filler = filler();
    long free = Files.getFileStore(filler.getParent()).getUsableSpace();
    run("fallocate", "-l", Long.toString(free - ROOM_FOR_TABLES), filler.toString());
    try (var out = Files.newOutputStream(filler.resolveSibling("filler.rest"))) {
      while (true) {
        out.write(new byte[4_096]); // until the disk refuses
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }

  void free() throws IOException {
    Files.deleteIfExists(filler());
    Files.deleteIfExists(filler().resolveSibling("filler.rest"));
  }

  private Path filler() {
    if (at == null) {
      throw new IllegalStateException("The disk is not mounted");
    }
    return at.resolve("filler");
  }

  static void run(String... command) {
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).as("%s: %s", Arrays.toString(command), said).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    Path mounted = at;
    Path file = image;
    at = null;
    image = null;
    if (mounted == null || file == null) {
      return;
    }
    List<String> umount = new ArrayList<>(List.of("umount", mounted.toString()));
    Awaitility.await("the disk to be let go")
        .atMost(Duration.ofSeconds(20))
        .until(() -> new ProcessBuilder(umount).start().waitFor() == 0);
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
