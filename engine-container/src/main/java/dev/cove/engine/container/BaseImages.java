package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import dev.cove.model.crash.FailPoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Empty ext4 images, one per size, that sandboxes get a sparse copy of. */
final class BaseImages {
  private static final String FEATURES = "^has_journal,^resize_inode,sparse_super2";

  /**
   * No journal and no backups: a crash of the host ends the sandbox, and {@link KeptFiles} mends
   * what it left before it is used again. One inode per 16 KiB is the sandbox's inode limit.
   */
  private static final List<String> OPTIONS =
      List.of(
          "-q",
          "-F",
          "-b",
          "4096",
          "-m",
          "0",
          "-O",
          FEATURES,
          "-E",
          "num_backup_sb=0,lazy_itable_init=1,nodiscard",
          "-i",
          "16384");

  private static final List<String> JOURNALED_OPTIONS =
      OPTIONS.stream()
          .map(option -> option.equals(FEATURES) ? "^resize_inode,sparse_super2" : option)
          .toList();

  private final Path folder;
  private final Map<Integer, String> journaled = new ConcurrentHashMap<>();
  private final Map<Integer, String> names = new ConcurrentHashMap<>();

  BaseImages(Path folder) {
    this.folder = folder;
    UnfinishedFiles.removeFrom(folder);
  }

  static Optional<Path> findMkfs() {
    return findProgram("mkfs.ext4");
  }

  /** Looked for also where a plain user's PATH does not lead. */
  static Optional<Path> findProgram(String name) {
    String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin";
    return Arrays.stream(path.split(":"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The name of the image of that size; made on first use. */
  String require(int diskMb) {
    return names.computeIfAbsent(diskMb, size -> make(size, "ext4-" + size, OPTIONS));
  }

  /** The same with a journal, for a kernel that may end at any moment without this host's end. */
  String requireWithJournal(int diskMb) {
    return journaled.computeIfAbsent(
        diskMb, size -> make(size, "journaled-" + size, JOURNALED_OPTIONS));
  }

  private String make(int diskMb, String name, List<String> options) {
    Path image = folder.resolve(name);
    if (Files.exists(image)) {
      return name;
    }
    try {
      Path fresh = Files.createTempFile(folder, name, UnfinishedFiles.SUFFIX);
      try (var file = new RandomAccessFile(fresh.toFile(), "rw")) {
        file.setLength(diskMb * 1024L * 1024L);
      }
      mkfs(fresh, options);
      FailPoint.BASE_IMAGE_FORMATTED.reached();
      Files.move(fresh, image, StandardCopyOption.ATOMIC_MOVE);
      return name;
    } catch (IOException e) {
      throw new EngineException("Could not make an image of %d MB".formatted(diskMb), e);
    }
  }

  static void mkfs(Path image, List<String> options) throws IOException {
    var command = new ArrayList<String>();
    command.add(findMkfs().orElseThrow(() -> new IOException("No mkfs.ext4")).toString());
    command.addAll(options);
    command.add(image.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        Files.deleteIfExists(image);
        throw new EngineException("mkfs.ext4 failed: " + output.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      throw new EngineException("Interrupted while making an image", e);
    }
  }
}
