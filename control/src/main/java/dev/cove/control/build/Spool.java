package dev.cove.control.build;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.crash.FailPoint;
import dev.cove.node.template.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The folder in which builds keep what they need only for a while. Empty at each start. */
public final class Spool {
  private static final long RESERVE = 1L << 30;
  private static final int BUFFER = 128 * 1024;

  private final Path folder;

  public Spool(Path folder) {
    this.folder = folder;
    try {
      Trees.remove(folder);
      Files.createDirectories(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new UncheckedIOException("Could not empty " + folder, e);
    }
  }

  /** What a stream holds, in a file. Ends before the disk is full. */
  public Upload keep(InputStream in) throws IOException {
    Path file = Files.createTempFile(folder, "upload", "");
    boolean whole = false;
    try (var out = Files.newOutputStream(file)) {
      byte[] buffer = new byte[BUFFER];
      long sinceCheck = Long.MAX_VALUE;
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        sinceCheck = sinceCheck > 16L << 20 ? checkRoom() : sinceCheck + read;
        out.write(buffer, 0, read);
      }
      FailPoint.UPLOAD_KEPT.reached();
      whole = true;
      return new Upload(this, file);
    } finally {
      if (!whole) {
        Files.deleteIfExists(file);
      }
    }
  }

  private long checkRoom() throws IOException {
    if (Files.getFileStore(folder).getUsableSpace() < RESERVE) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "The disk is almost full; cove system df shows what uses it.");
    }
    return 0;
  }

  /** A folder for whoever {@link #drop}s it. */
  public Path makeFolder() throws IOException {
    return Files.createTempDirectory(folder, "work");
  }

  public void drop(Path inside) {
    try {
      Trees.remove(inside);
    } catch (IOException e) {
      throw new UncheckedIOException("Could not remove " + inside, e);
    }
  }
}
