package dev.cove.control.ledger;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.OSInfo;

/**
 * Where SQLite's native code is loaded from.
 *
 * <p>Left alone, the driver unpacks it into /tmp at every start: a megabyte stays there after each
 * {@code kill -9}, others can write there, and some hosts allow no code from there. Here it is
 * unpacked once, into a folder of our own, which also makes the next start a tenth of a second
 * shorter.
 */
public final class SqliteLibrary {
  private static final String NAME = "libsqlitejdbc.so";

  private SqliteLibrary() {}

  /** Must come before the first ledger is opened. */
  public static void loadFrom(Path folder) throws IOException {
    Path home = folder.resolve("sqlite-" + SQLiteJDBCLoader.getVersion());
    Path library = home.resolve(NAME);
    if (!Files.exists(library)) {
      unpack(home, library);
    }
    System.setProperty("org.sqlite.lib.path", home.toString());
    System.setProperty("org.sqlite.lib.name", NAME);
  }

  private static void unpack(Path home, Path library) throws IOException {
    Files.createDirectories(
        home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    String resource =
        "/org/sqlite/native/" + OSInfo.getNativeLibFolderPathForCurrentOS() + "/" + NAME;
    try (InputStream in = SQLiteJDBCLoader.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("SQLite has no library for this machine (" + resource + ")");
      }
      // Renamed when it is whole: a start that is cut off here leaves nothing that would be loaded.
      Path fresh = home.resolve(NAME + ".new");
      Files.copy(in, fresh, StandardCopyOption.REPLACE_EXISTING);
      Files.move(fresh, library, StandardCopyOption.ATOMIC_MOVE);
    }
  }
}
