package dev.cove.bench.measure;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * The folder that holds all the bench makes.
 *
 * <p>Below /var/tmp, because that is on a disk, as Cove's data is by default; /tmp often is memory.
 */
final class Scratch implements Closeable {
  private final Path folder;

  Scratch() throws IOException {
    folder = Files.createTempDirectory(Path.of("/var/tmp"), "cove-bench-");
    // A sandbox in a user namespace is nobody here, and has to pass through to reach its root.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
  }

  Path folder() {
    return folder;
  }

  Path subfolder(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  /**
   * Removes the folder, unless something is still mounted below: that could be the host's own /usr.
   */
  @Override
  public void close() throws IOException {
    long mounts = Leftovers.countMountsBelow(folder);
    if (mounts > 0) {
      throw new IOException(
          folder
              + " was kept, because "
              + mounts
              + " mounts are still below it: unmount them first.");
    }
    Files.walkFileTree(folder, new Removal());
  }

  private static final class Removal extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.delete(visited);
      return FileVisitResult.CONTINUE;
    }
  }
}
