package dev.cove.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Where a verb writes a file to: one with a name, or stdout unless that is a terminal. */
final class FileOutput {
  private final Session session;

  FileOutput(Session session) {
    this.session = session;
  }

  /** Writes the file. */
  interface Writing {
    void to(OutputStream out);
  }

  /** Half a file is none. */
  void write(Optional<String> file, Writing writing) {
    if (file.isEmpty()) {
      if (session.terminal().isOutput()) {
        throw new UserError("Say where the file shall go: with --output FILE or > FILE");
      }
      writing.to(session.out());
      return;
    }
    Path target = Path.of(file.get());
    boolean whole = false;
    try {
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(target))) {
        writing.to(out);
      }
      whole = true;
    } catch (IOException e) {
      throw new UserError(target + " cannot be written: " + e.getMessage(), e);
    } finally {
      if (!whole) {
        target.toFile().delete();
      }
    }
  }
}
