package dev.cove.model.file;

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

/** A file that only its owner can read, and that is there whole or not at all. */
public final class PrivateFile {
  public static final String UNFINISHED = ".new";
  private static final int MAX_BYTES = 1 << 20;

  private PrivateFile() {}

  public static Path folder(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    return folder;
  }

  public static Optional<byte[]> read(Path file) throws IOException {
    try (var in = Files.newInputStream(file)) {
      return Optional.of(in.readNBytes(MAX_BYTES));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Durable when this returns. */
  public static void write(Path file, byte[] bytes) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + UNFINISHED);
    Files.deleteIfExists(fresh);
    try (var out =
        FileChannel.open(
            fresh,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      var left = ByteBuffer.wrap(bytes);
      while (left.hasRemaining()) {
        out.write(left);
      }
      out.force(true);
    }
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    syncFolderOf(file);
  }

  /** A line of text. */
  public static Optional<String> readLine(Path file) throws IOException {
    return read(file).map(bytes -> new String(bytes, StandardCharsets.US_ASCII).strip());
  }

  public static void writeLine(Path file, String line) throws IOException {
    write(file, (line + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  public static boolean remove(Path file) throws IOException {
    Files.deleteIfExists(file.resolveSibling(file.getFileName() + UNFINISHED));
    boolean removed = Files.deleteIfExists(file);
    syncFolderOf(file);
    return removed;
  }

  private static void syncFolderOf(Path file) throws IOException {
    try (var folder = FileChannel.open(file.toAbsolutePath().getParent())) {
      folder.force(true);
    }
  }
}
