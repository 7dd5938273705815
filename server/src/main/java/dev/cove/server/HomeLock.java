package dev.cove.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps two servers from sharing one home. The kernel lets go of it when the process ends, however
 * it ends, so it is never stale.
 */
final class HomeLock implements AutoCloseable {
  private final FileChannel file;

  private HomeLock(FileChannel file) {
    this.file = file;
  }

  /** Makes the home's folders if need be and claims them. */
  static HomeLock claim(Home home) {
    try {
      makeFolder(home.data());
      makeFolder(home.run());
      FileChannel file =
          FileChannel.open(
              home.lock(),
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      if (tryLock(file) == null) {
        String holder = readPid(file);
        file.close();
        throw new StartException(
            "Another server%s uses %s. Stop it, or choose another folder with --home or COVE_HOME."
                .formatted(holder, home.data()));
      }
      writePid(file);
      return new HomeLock(file);
    } catch (IOException e) {
      throw new StartException(
          "Cannot use the folders %s and %s (%s). Start as root, or choose a folder with --home or"
                  .formatted(home.data(), home.run(), e)
              + " COVE_HOME.",
          e);
    }
  }

  private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
    try {
      return file.tryLock();
    } catch (OverlappingFileLockException _) {
      return null; // held by another server in this same process
    }
  }

  /**
   * Others may pass through, because cages are built by less privileged ids, but not look around.
   */
  private static void makeFolder(Path folder) throws IOException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
  }

  private static String readPid(FileChannel file) throws IOException {
    var bytes = ByteBuffer.allocate(20);
    file.read(bytes, 0);
    String pid = StandardCharsets.US_ASCII.decode(bytes.flip()).toString().strip();
    return pid.matches("[0-9]{1,10}") ? " (pid " + pid + ")" : "";
  }

  private static void writePid(FileChannel file) throws IOException {
    file.truncate(0);
    String pid = Long.toString(ProcessHandle.current().pid());
    file.write(ByteBuffer.wrap((pid + "\n").getBytes(StandardCharsets.US_ASCII)), 0);
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new IllegalStateException("The lock of the home could not be released", e);
    }
  }
}
