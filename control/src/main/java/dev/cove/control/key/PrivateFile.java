package dev.cove.control.key;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** A line of text in a file that only its owner can read. */
public final class PrivateFile {
  private static final int MAX_BYTES = 1_024;

  private PrivateFile() {}

  public static Optional<String> find(Path file) throws IOException {
    try (var in = Files.newInputStream(file)) {
      return Optional.of(new String(in.readNBytes(MAX_BYTES), StandardCharsets.US_ASCII).strip());
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /** Beside it first and then renamed, so that no reader ever sees half of it. */
  public static void write(Path file, String text) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    try (var out =
        FileChannel.open(
            fresh,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      var bytes = ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (var folder = FileChannel.open(file.toAbsolutePath().getParent())) {
      folder.force(true);
    }
  }
}
