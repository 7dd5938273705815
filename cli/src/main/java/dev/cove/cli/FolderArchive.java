package dev.cove.cli;

import dev.cove.sdk.CoveApiException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/** What is in a local folder as tar.gz, packed while it is read. */
final class FolderArchive implements AutoCloseable {
  private final InputStream stream;
  private final Thread packer;
  private final AtomicReference<@Nullable IOException> failure = new AtomicReference<>();

  /**
   * @param skipped is asked about paths relative to the folder; what lies below a skipped folder is
   *     skipped with it
   */
  FolderArchive(Path folder, Predicate<Path> skipped) throws IOException {
    Pipe pipe = Pipe.open();
    stream = Channels.newInputStream(pipe.source());
    packer =
        Thread.ofPlatform()
            .daemon()
            .name("packer")
            .start(() -> {
              // Left open on failure, so that half an archive never looks whole.
              try (OutputStream out = Channels.newOutputStream(pipe.sink())) {
                pack(folder, skipped, out);
              } catch (IOException e) {
                failure.set(e);
              }
            });
  }

  InputStream stream() {
    return stream;
  }

  /** Why it was refused: half an archive is refused too, but then the reason is here. */
  RuntimeException reason(CoveApiException refusal) {
    try {
      packer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    IOException local = failure.get();
    if (local == null || refusal.status() != 400) {
      return refusal;
    }
    return new UserError("The folder can't be read: " + local.getMessage(), local);
  }

  private static void pack(Path root, Predicate<Path> skipped, OutputStream out)
      throws IOException {
    var gzip = new GZIPOutputStream(new BufferedOutputStream(out, 64 * 1024));
    var tar = new TarArchiveOutputStream(gzip, StandardCharsets.UTF_8.name());
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    tar.setAddPaxHeadersForNonAsciiNames(true);
    Files.walkFileTree(root, new Packer(root, skipped, tar));
    tar.finish();
    gzip.finish();
    gzip.flush();
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }

  /** Links are kept as links; sockets, pipes and devices are passed over. */
  private static final class Packer extends SimpleFileVisitor<Path> {
    private final Path root;
    private final Predicate<Path> skipped;
    private final TarArchiveOutputStream tar;

    Packer(Path root, Predicate<Path> skipped, TarArchiveOutputStream tar) {
      this.root = root;
      this.skipped = skipped;
      this.tar = tar;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      if (folder.equals(root)) {
        return FileVisitResult.CONTINUE;
      }
      if (skipped.test(root.relativize(folder))) {
        return FileVisitResult.SKIP_SUBTREE;
      }
      put(new TarArchiveEntry(nameOf(folder) + "/", TarConstants.LF_DIR), folder, attributes);
      tar.closeArchiveEntry();
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      if (skipped.test(root.relativize(file))) {
        return FileVisitResult.CONTINUE;
      }
      if (attributes.isSymbolicLink()) {
        var entry = new TarArchiveEntry(nameOf(file), TarConstants.LF_SYMLINK);
        entry.setLinkName(Files.readSymbolicLink(file).toString());
        entry.setLastModifiedTime(attributes.lastModifiedTime());
        tar.putArchiveEntry(entry);
        tar.closeArchiveEntry();
      } else if (attributes.isRegularFile()) {
        var entry = new TarArchiveEntry(nameOf(file), TarConstants.LF_NORMAL);
        entry.setSize(attributes.size());
        put(entry, file, attributes);
        Files.copy(file, tar);
        tar.closeArchiveEntry();
      }
      return FileVisitResult.CONTINUE;
    }

    private void put(TarArchiveEntry entry, Path file, BasicFileAttributes attributes)
        throws IOException {
      entry.setMode(Modes.bits(file));
      entry.setLastModifiedTime(attributes.lastModifiedTime());
      tar.putArchiveEntry(entry);
    }

    private String nameOf(Path file) {
      return root.relativize(file).toString();
    }
  }
}
