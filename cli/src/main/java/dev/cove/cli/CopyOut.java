package dev.cove.cli;

import dev.cove.sdk.FileInfo;
import dev.cove.sdk.ReadableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Copies files out of a sandbox or a checkpoint. What is inside is not trusted, see {@link
 * Unpacker}.
 */
final class CopyOut {
  private final ReadableFiles files;
  private final Session session;

  CopyOut(ReadableFiles files, Session session) {
    this.files = files;
    this.session = session;
  }

  void copy(BoxPath from, String to) throws IOException {
    FileInfo info = files.stat(from.path());
    if (to.equals("-")) {
      if (info.type() == FileInfo.Type.FOLDER) {
        throw new UserError(from.path() + " is a folder; only a file can go to our output");
      }
      try (InputStream stream = files.read(from.path())) {
        stream.transferTo(session.out());
      }
      return;
    }
    Path target = Path.of(to);
    boolean contentOnly = from.path().endsWith("/.");
    if (Files.isDirectory(target) && !contentOnly && !from.name().isEmpty()) {
      target = target.resolve(from.name());
    }
    switch (info.type()) {
      case FILE -> copyFile(from, info, target);
      case FOLDER -> copyFolder(from, target);
      case SYMLINK, OTHER -> throw new UserError(from.path() + " is neither a file nor a folder");
    }
  }

  private void copyFile(BoxPath from, FileInfo info, Path target) throws IOException {
    try (InputStream stream = files.read(from.path())) {
      if (Files.exists(target) && !Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
        // A device, a pipe, or a link that the user has put there: write to it, keep it.
        try (var out = Files.newOutputStream(target)) {
          stream.transferTo(out);
        }
        return;
      }
      Path folder = target.toAbsolutePath().getParent();
      if (folder == null || !Files.isDirectory(folder)) {
        throw new UserError("There is no folder " + folder);
      }
      int mode = Integer.parseInt(info.mode(), 8) & 0777;
      Path part =
          Files.createTempFile(
              folder,
              ".cove-",
              ".part",
              PosixFilePermissions.asFileAttribute(Modes.permissions(mode | 0200)));
      try {
        Files.copy(stream, part, StandardCopyOption.REPLACE_EXISTING);
        Files.setPosixFilePermissions(part, Modes.permissions(mode));
        Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(part);
      }
    }
  }

  private void copyFolder(BoxPath from, Path target) throws IOException {
    Files.createDirectories(target);
    var unpacker = new Unpacker(target);
    try (InputStream archive = files.downloadArchive(from.path())) {
      unpacker.unpack(archive);
    }
    for (String leftOut : unpacker.leftOut()) {
      session.note("cove: Left out " + leftOut);
    }
  }
}
