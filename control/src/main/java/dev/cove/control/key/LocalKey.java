package dev.cove.control.key;

import dev.cove.model.file.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;

/** The key that the command line on this machine uses, in a file that only its owner can read. */
public final class LocalKey {
  private LocalKey() {}

  /** Makes the key at first start, and again when the file is gone or its key revoked. */
  public static void ensure(ApiKeys keys, Path file) throws IOException {
    if (!keys.accepts(read(file))) {
      PrivateFile.writeLine(file, keys.issue("local").secret());
    }
  }

  private static String read(Path file) throws IOException {
    return PrivateFile.readLine(file).orElse("");
  }
}
