package dev.cove.node.library;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A native library that comes in a jar, as a file that can be loaded.
 *
 * <p>Left alone, those who bring one unpack it into /tmp whenever they are loaded: a megabyte stays
 * there after each {@code kill -9}, others can write there, and some hosts allow no code from
 * there. Here it is unpacked once, into a folder of our own.
 */
public final class NativeLibrary {
  private NativeLibrary() {}

  /**
   * @param owner a class of the jar
   * @param resource the library in it
   * @param home a folder for this version of it alone
   */
  public static Path unpack(Class<?> owner, String resource, Path home) throws IOException {
    String name = resource.substring(resource.lastIndexOf('/') + 1);
    Path library = home.resolve(name);
    if (Files.exists(library)) {
      return library;
    }
    Files.createDirectories(
        home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try (InputStream in = owner.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("There is no library for this machine (" + resource + ")");
      }
      // Renamed when it is whole: a start that is cut off here leaves nothing that would be loaded.
      Path fresh = home.resolve(name + ".new");
      Files.copy(in, fresh, StandardCopyOption.REPLACE_EXISTING);
      Files.move(fresh, library, StandardCopyOption.ATOMIC_MOVE);
    }
    return library;
  }
}
