package dev.cove.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

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

  /** The same, with a file that only its owner can read. */
  void writePrivate(Optional<String> file, Writing writing) {
    write(
        file,
        writing,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  /** Half a file is none: what was there before stays until there is a whole one. */
  void write(Optional<String> file, Writing writing) {
    write(file, writing, new FileAttribute<?>[0]);
  }

  private void write(Optional<String> file, Writing writing, FileAttribute<?>... attributes) {
    if (file.isEmpty()) {
      if (session.terminal().isOutput()) {
        throw new UserError("Say where the file shall go: with --output FILE or > FILE");
      }
      writing.to(session.out());
      return;
    }
    Path target = Path.of(file.get());
    if (Files.isDirectory(target)) {
      throw new UserError(target + " is a folder; say what the file is to be called");
    }
    try {
      if (!Files.exists(target)) {
        replace(target, writing, attributes);
      } else if (Files.isRegularFile(target)) {
        replace(target.toRealPath(), writing, attributes);
      } else {
        fill(target, writing); // a pipe or a device, which nothing may take the place of
      }
    } catch (IOException e) {
      throw UserError.of(target + " cannot be written", e);
    }
  }

  private static void replace(Path target, Writing writing, FileAttribute<?>... attributes)
      throws IOException {
    String unlikely = Long.toHexString(ThreadLocalRandom.current().nextLong());
    Path part = Path.of(target + "." + unlikely + ".part");
    try {
      Files.createFile(part, attributes);
      fill(part, writing);
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static void fill(Path target, Writing writing) throws IOException {
    try (OutputStream out =
        new BufferedOutputStream(Files.newOutputStream(target, StandardOpenOption.WRITE))) {
      writing.to(out);
    }
  }
}
