package dev.cove.guest;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * File operations inside a sandbox, resolved there and with a sandbox user's rights.
 *
 * <p>Paths are absolute. A failure is a {@link GuestException} with the kernel's error.
 */
public interface GuestFiles {
  /**
   * Opens a regular file for reading from {@code offset}; at most {@code length} bytes follow, -1
   * for all. Fifos, devices and folders are refused.
   */
  FileContent read(String path, long offset, long length);

  /**
   * Writes a file through a temporary one beside it, so that a reader sees the old or the new
   * content. Nothing changes when {@code content} fails.
   *
   * @param mode permission bits for a new file; an existing one keeps its own unless given
   * @param parents make missing folders above it
   */
  FileInfo write(String path, InputStream content, OptionalInt mode, boolean parents);

  FileInfo stat(String path, boolean followLinks);

  /**
   * Entries below a folder, in no particular order.
   *
   * @param depth 1 for its own entries
   */
  Listing list(String path, int depth, int limit);

  void mkdir(String path, int mode, boolean parents);

  /** Renames. Without {@code overwrite} an existing target is refused. */
  void move(String from, String to, boolean overwrite);

  void remove(String path, boolean recursive);

  void chmod(String path, int mode);

  void symlink(String path, String target);

  /** Watches a folder (and, if asked, those below it) until closed. */
  FileWatch watch(String path, boolean recursive);

  /**
   * Unpacks a tar archive into a folder that is there. The archive is trusted with nothing: no
   * entry lands outside the folder or on another mount, whatever names, links and numbers it has.
   * When it fails, what was unpacked until then stays.
   *
   * <p>For root alone, since entries have owners; ids above 65535 become nobody's.
   *
   * @param tar not compressed; read to its end
   */
  Unpacked unpack(String path, InputStream tar, UnpackRules rules);

  /**
   * How far unpacking may go.
   *
   * @param layer names that begin with {@code .wh.} say what a lower layer's file is to go, as in
   *     images, instead of being files
   * @param maxEntries counts the folders that have to be made on the way, too
   * @param maxBytes of content
   */
  record UnpackRules(boolean layer, long maxEntries, long maxBytes) {}

  /**
   * What was unpacked.
   *
   * @param entries all of the archive, those skipped among them
   * @param skipped devices, and what would have landed on another mount
   * @param firstSkipped the first name among them, or empty
   */
  record Unpacked(long entries, long bytes, long skipped, String firstSkipped) {}

  /**
   * Packs everything below a folder as a tar archive in pax format, without the folder itself and
   * without other mounts. The same tree gives the same bytes. Sockets and devices are left out.
   *
   * <p>Reading fails when something can't be packed, or there is too much of it. Close it to stop.
   */
  InputStream pack(String path, PackRules rules);

  /** How far packing may go: the agent holds the names of a folder while it is in there. */
  record PackRules(long maxEntries) {}

  /** An open file: its size and time when it was opened, and its bytes. */
  record FileContent(FileInfo info, InputStream stream) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  record Listing(List<FileInfo> entries, boolean truncated) {
    public Listing {
      entries = List.copyOf(entries);
    }
  }

  /** Changes as they happen. */
  interface FileWatch extends AutoCloseable {
    /** The next change, or empty when none came in time. */
    Optional<FileChange> next(Duration timeout);

    @Override
    void close();
  }

  /** {@code OVERFLOW} means that changes were lost and the folder should be listed anew. */
  record FileChange(Kind kind, String path) {
    /** What happened. */
    public enum Kind {
      CREATED,
      MODIFIED,
      REMOVED,
      MOVED_FROM,
      MOVED_TO,
      OVERFLOW,
      /** Mode, owner or times. */
      ATTRIBUTES
    }
  }
}
