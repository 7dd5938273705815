package dev.cove.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that a verb writes because the user named it; {@code -} is our output. */
final class OutputFile {
  private OutputFile() {}

  static void write(Session session, String name, byte[] content) {
    try {
      if (name.equals("-")) {
        session.out().write(content);
      } else {
        Files.write(Path.of(name), content);
      }
    } catch (IOException e) {
      throw UserError.of("'%s' can't be written".formatted(Escapes.visible(name)), e);
    }
  }
}
