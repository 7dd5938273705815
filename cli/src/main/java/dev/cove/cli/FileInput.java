package dev.cove.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a verb reads a file from: one with a name, a pipe, or stdin. */
final class FileInput {
  private FileInput() {}

  /**
   * @param name {@code -} for stdin
   */
  static InputStream open(Session session, String name) {
    if (name.equals("-")) {
      return session.in();
    }
    Path file = Path.of(name);
    if (!Files.exists(file) || Files.isDirectory(file)) {
      throw new UserError("There is no file " + name);
    }
    try {
      return Files.newInputStream(file);
    } catch (IOException e) {
      throw UserError.of(name + " cannot be read", e);
    }
  }
}
