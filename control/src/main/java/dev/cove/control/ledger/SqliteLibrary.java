package dev.cove.control.ledger;

import dev.cove.node.library.NativeLibrary;
import java.io.IOException;
import java.nio.file.Path;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.OSInfo;

/**
 * Where SQLite's native code is loaded from: a folder of our own, which also makes each start but
 * the first a tenth of a second shorter.
 */
public final class SqliteLibrary {
  private static final String NAME = "libsqlitejdbc.so";

  private SqliteLibrary() {}

  /** Must come before the first ledger is opened. */
  public static void loadFrom(Path folder) throws IOException {
    Path home = folder.resolve("sqlite-" + SQLiteJDBCLoader.getVersion());
    String resource =
        "/org/sqlite/native/" + OSInfo.getNativeLibFolderPathForCurrentOS() + "/" + NAME;
    NativeLibrary.unpack(SQLiteJDBCLoader.class, resource, home);
    System.setProperty("org.sqlite.lib.path", home.toString());
    System.setProperty("org.sqlite.lib.name", NAME);
  }
}
