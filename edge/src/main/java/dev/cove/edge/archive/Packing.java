package dev.cove.edge.archive;

import dev.cove.edge.file.GuestPath;
import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.guest.GuestFiles.Listing;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Packs a file or a folder of a sandbox.
 *
 * <p>The tree changes while we walk it. A file is as long as it was when it was opened: a longer
 * one is cut, a shorter one filled up. What cannot be read any more, or is no file, folder or link,
 * is left out and counted.
 */
final class Packing {
  private static final int FOLDER_LIMIT = 100_000;
  private static final int MAX_PENDING = 1_000_000;
  private static final int PIECE = 64 * 1024;

  private final GuestFiles files;
  private final TarArchiveOutputStream tar;
  private final Deque<String> pending = new ArrayDeque<>();
  private final byte[] piece = new byte[PIECE];
  private long bytes;
  private int leftOut;

  Packing(GuestFiles files, OutputStream out) {
    this.files = files;
    this.tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    tar.setAddPaxHeadersForNonAsciiNames(true);
  }

  /** How many were left out so far. */
  int leftOut() {
    return leftOut;
  }

  /**
   * @param root what {@code path} is; of a folder, what is in it is packed and not itself
   */
  void run(String path, FileInfo root) throws IOException {
    if (root.type() == FileInfo.Type.FOLDER) {
      walk(path.endsWith("/") ? path : path + "/");
    } else {
      pack(path, path.substring(path.lastIndexOf('/') + 1), root);
    }
    tar.finish();
  }

  private void walk(String base) throws IOException {
    pending.push("");
    while (!pending.isEmpty()) {
      String folder = pending.pop();
      for (FileInfo info : list(base + folder)) {
        String name = folder + info.path().substring(info.path().lastIndexOf('/') + 1);
        pack(base + name, name, info);
      }
    }
  }

  private List<FileInfo> list(String folder) {
    Listing listing;
    try {
      listing = files.list(folder, 1, FOLDER_LIMIT);
    } catch (GuestException e) {
      leftOut++;
      return List.of();
    }
    if (listing.truncated()) {
      throw new CoveException(
          ErrorCode.TOO_LARGE, "A folder has more than %d entries".formatted(FOLDER_LIMIT));
    }
    return listing.entries();
  }

  private void pack(String path, String name, FileInfo info) throws IOException {
    if (path.length() >= GuestPath.LONGEST) {
      leftOut++;
      return;
    }
    switch (info.type()) {
      case FOLDER -> {
        if (pending.size() >= MAX_PENDING) {
          throw new CoveException(ErrorCode.TOO_LARGE, "There are too many folders to pack");
        }
        put(new NamedEntry(name + "/", TarConstants.LF_DIR), info);
        pending.push(name + "/");
      }
      case SYMLINK -> {
        var entry = new NamedEntry(name, TarConstants.LF_SYMLINK);
        entry.setLinkName(info.linkTarget());
        put(entry, info);
      }
      case FILE -> packFile(path, name);
      case OTHER -> leftOut++;
    }
  }

  private void put(TarArchiveEntry entry, FileInfo info) throws IOException {
    describe(entry, info);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  private void packFile(String path, String name) throws IOException {
    FileContent opened;
    try {
      opened = files.read(path, 0, -1);
    } catch (GuestException e) {
      leftOut++;
      return;
    }
    try (FileContent content = opened) {
      long size = content.info().size();
      bytes += size;
      if (bytes > Unpacking.MAX_BYTES) {
        throw new CoveException(
            ErrorCode.TOO_LARGE,
            "There are more than %d bytes to pack".formatted(Unpacking.MAX_BYTES));
      }
      var entry = new NamedEntry(name, TarConstants.LF_NORMAL);
      entry.setSize(size);
      describe(entry, content.info());
      tar.putArchiveEntry(entry);
      copy(content.stream(), size);
      tar.closeArchiveEntry();
    }
  }

  private void copy(InputStream in, long size) throws IOException {
    long left = size;
    while (left > 0) {
      int read = in.read(piece, 0, (int) Math.min(left, PIECE));
      if (read < 0) {
        break;
      }
      tar.write(piece, 0, read);
      left -= read;
    }
    Arrays.fill(piece, (byte) 0);
    for (; left > 0; left -= Math.min(left, PIECE)) {
      tar.write(piece, 0, (int) Math.min(left, PIECE));
    }
  }

  private static void describe(TarArchiveEntry entry, FileInfo info) {
    entry.setMode(info.mode());
    entry.setIds(info.uid(), info.gid());
    // The library would write the name of whoever runs this server.
    entry.setUserName("");
    entry.setGroupName("");
    entry.setLastModifiedTime(FileTime.from(info.modifiedAt()));
  }
}
