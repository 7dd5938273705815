package dev.cove.cli;

import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.FileInfo;
import dev.cove.sdk.SandboxFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/** Copies local files into a sandbox. Folders travel as one archive. */
final class CopyIn {
  private static final String USUAL_MODE = "0644";

  private final SandboxFiles files;
  private final InputStream stdin;

  CopyIn(SandboxFiles files, InputStream stdin) {
    this.files = files;
    this.stdin = stdin;
  }

  void copy(String from, BoxPath to) throws IOException {
    if (from.equals("-")) {
      files.write(to.path(), stdin, USUAL_MODE, false);
      return;
    }
    Path source = Path.of(from);
    if (!Files.exists(source)) {
      throw new UserError("There is no file " + from);
    }
    BoxPath target = isFolder(to) ? to.resolve(name(source)) : to;
    if (Files.isDirectory(source)) {
      boolean contentOnly = from.endsWith("/.") || from.equals(".");
      copyFolder(source, contentOnly ? to : target);
    } else {
      try (InputStream stream = Files.newInputStream(source)) {
        files.write(target.path(), stream, Modes.octal(source), false);
      }
    }
  }

  private static String name(Path source) throws IOException {
    return String.valueOf(source.toRealPath(LinkOption.NOFOLLOW_LINKS).getFileName());
  }

  private boolean isFolder(BoxPath place) {
    if (place.path().endsWith("/")) {
      return true;
    }
    try {
      return files.stat(place.path()).type() == FileInfo.Type.FOLDER;
    } catch (CoveApiException e) {
      if (e.status() == 404) {
        return false;
      }
      throw e;
    }
  }

  private void copyFolder(Path source, BoxPath target) throws IOException {
    Pipe pipe = Pipe.open();
    var failure = new AtomicReference<@Nullable IOException>();
    Thread packer =
        Thread.ofPlatform()
            .daemon()
            .name("packer")
            .start(() -> {
              // Left open on failure, so that half an archive never looks whole.
              try (OutputStream out = Channels.newOutputStream(pipe.sink())) {
                pack(source, out);
              } catch (IOException e) {
                failure.set(e);
              }
            });
    try (InputStream archive = Channels.newInputStream(pipe.source())) {
      files.uploadArchive(target.path(), archive);
    } catch (CoveApiException e) {
      throw localFailure(failure, packer, e);
    }
  }

  private static RuntimeException localFailure(
      AtomicReference<@Nullable IOException> failure, Thread packer, CoveApiException refusal) {
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

  private static void pack(Path root, OutputStream out) throws IOException {
    var gzip = new GZIPOutputStream(new BufferedOutputStream(out, 64 * 1024));
    var tar = new TarArchiveOutputStream(gzip, StandardCharsets.UTF_8.name());
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    tar.setAddPaxHeadersForNonAsciiNames(true);
    Files.walkFileTree(root, new Packer(root, tar));
    tar.finish();
    gzip.finish();
    gzip.flush();
  }

  /** Links are kept as links; sockets, pipes and devices are passed over. */
  private static final class Packer extends SimpleFileVisitor<Path> {
    private final Path root;
    private final TarArchiveOutputStream tar;

    Packer(Path root, TarArchiveOutputStream tar) {
      this.root = root;
      this.tar = tar;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      if (!folder.equals(root)) {
        put(new TarArchiveEntry(nameOf(folder) + "/", TarConstants.LF_DIR), folder, attributes);
        tar.closeArchiveEntry();
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
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
