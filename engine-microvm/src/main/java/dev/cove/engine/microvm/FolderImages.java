package dev.cove.engine.microvm;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folders of the host as read-only disks: an ext4 image each, made once. A machine cannot be shown
 * a folder itself: Debian's cloud kernel has no 9p, and virtiofs wants memory that is shared with
 * another process, which memory that machines begin with cannot be.
 */
final class FolderImages {
  private static final Logger LOG = LoggerFactory.getLogger(FolderImages.class);
  private static final String SUFFIX = ".ext4";
  private static final String UNFINISHED = ".new";
  private static final int BLOCK = 4_096;

  private final Path folder;
  private final Map<String, Object> locks = new ConcurrentHashMap<>();

  FolderImages(Path folder) {
    this.folder = folder;
    sweep();
  }

  /** What was only begun, and what was made of folders that are gone. */
  private void sweep() {
    try (var files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (name.endsWith(UNFINISHED) || (name.endsWith(SUFFIX) && sourceIsGone(file))) {
          Files.delete(file);
          Files.deleteIfExists(sourceOf(file));
        }
      }
    } catch (IOException e) {
      throw new EngineException("Could not clean up " + folder, e);
    }
  }

  private static Path sourceOf(Path image) {
    return image.resolveSibling(image.getFileName() + ".source");
  }

  private static boolean sourceIsGone(Path image) throws IOException {
    try {
      return !Files.isDirectory(Path.of(Files.readString(sourceOf(image))));
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  /**
   * The image of a folder.
   *
   * @param version what changes when the folder's content does
   */
  Path require(Path source, String version) {
    String of = Digests.of(source.toString()).substring(0, 16);
    Path image = folder.resolve(of + "-" + Digests.of(version).substring(0, 16) + SUFFIX);
    synchronized (locks.computeIfAbsent(of, _ -> new Object())) {
      if (!Files.exists(image)) {
        make(source, image);
        removeOthers(of, image);
      }
    }
    return image;
  }

  /** Machines that have one of them as a disk keep it until they end. */
  private void removeOthers(String of, Path kept) {
    try (var files = Files.newDirectoryStream(folder, of + "-*" + SUFFIX)) {
      for (Path file : files) {
        if (!file.equals(kept)) {
          Files.delete(file);
          Files.deleteIfExists(sourceOf(file));
        }
      }
    } catch (IOException e) {
      throw new EngineException("Could not clean up " + folder, e);
    }
  }

  private void make(Path source, Path image) {
    LOG.info("Making a disk of {}; this takes a while, once", source);
    long start = System.nanoTime();
    Path fresh = image.resolveSibling(image.getFileName() + UNFINISHED);
    try {
      Files.deleteIfExists(fresh);
      var size = Size.of(source);
      try (var file = new RandomAccessFile(fresh.toFile(), "rw")) {
        file.setLength(size.imageBytes());
      }
      mkfs(source, fresh, size.files());
      Files.writeString(sourceOf(image), source.toString());
      Files.move(fresh, image, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new EngineException("Could not make a disk of %s: %s".formatted(source, e), e);
    }
    LOG.info("Made a disk of {} in {} ms", source, (System.nanoTime() - start) / 1_000_000);
  }

  private static void mkfs(Path source, Path image, long files) {
    Programs.run(
        List.of(
            "mke2fs",
            "-q",
            "-F",
            "-t",
            "ext4",
            "-b",
            Integer.toString(BLOCK),
            "-m",
            "0",
            "-N",
            Long.toString(files + files / 8 + 64),
            "-O",
            "^has_journal,^resize_inode,sparse_super2",
            "-E",
            "num_backup_sb=0,lazy_itable_init=1,nodiscard",
            "-d",
            source.toString(),
            image.toString()));
    Programs.run(List.of("debugfs", "-w", "-R", "rmdir lost+found", image.toString()));
  }

  /** How much a folder holds. */
  private record Size(long files, long bytes) {
    private static final long SPARE = 48L << 20;

    static Size of(Path folder) throws IOException {
      long[] counted = new long[2];
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path found, BasicFileAttributes attributes) {
              counted[0]++;
              counted[1] += Math.max(BLOCK, attributes.size());
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path found, BasicFileAttributes attributes) {
              counted[0]++;
              counted[1] += (attributes.size() / BLOCK + 1) * BLOCK;
              return FileVisitResult.CONTINUE;
            }
          });
      return new Size(counted[0], counted[1]);
    }

    /** Inodes and the maps of blocks take a little beside the content. */
    long imageBytes() {
      long whole = bytes + bytes / 16 + files * 512 + SPARE;
      return (whole / BLOCK + 1) * BLOCK;
    }
  }
}
