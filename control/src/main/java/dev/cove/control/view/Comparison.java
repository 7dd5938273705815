package dev.cove.control.view;

import dev.cove.control.view.Change.Kind;
import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.guest.GuestFiles.Listing;
import dev.cove.guest.GuestLinkException;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds how two states of files differ that have most of their layers in common.
 *
 * <p>It looks only where one of the layers that they have not in common has something. Where such a
 * layer adds, changes or deletes an entry, it also holds the folder that the entry is in; so a
 * folder that no such layer holds is the same in both states, with all that is in it. In a folder
 * that one does hold, an entry that is in both states and in none of those layers comes from a
 * layer that both have, and is the same as well. Everything else is compared, files byte by byte.
 *
 * <p>Times and extended attributes are not compared: a folder's time changes with every file in it.
 */
final class Comparison {
  private static final int MOST_IN_A_FOLDER = 100_000;
  private static final int MOST_ENTRIES = 1_000_000;
  private static final int PIECE = 64 * 1024;

  /** Not made of layers; every sandbox gets its own when it starts. */
  private static final Set<String> ITS_OWN =
      Set.of(
          "/dev",
          "/proc",
          "/sys",
          "/etc/hostname",
          "/etc/hosts",
          "/etc/machine-id",
          "/etc/resolv.conf");

  private final GuestFiles before;
  private final GuestFiles after;
  private final List<GuestFiles> touched;
  private final int limit;
  private final List<Change> changes = new ArrayList<>();
  private int entries;

  /**
   * @param touched what the layers hold that the two have not in common, by themselves
   */
  Comparison(GuestFiles before, GuestFiles after, List<GuestFiles> touched, int limit) {
    this.before = before;
    this.after = after;
    this.touched = touched;
    this.limit = limit;
  }

  Difference run() {
    compareBoth("/", before.stat("/", false), after.stat("/", false));
    boolean truncated = changes.size() > limit;
    return new Difference(truncated ? changes.subList(0, limit) : changes, truncated);
  }

  private boolean full() {
    return changes.size() > limit;
  }

  private void compareFolder(String folder) {
    NavigableMap<String, FileInfo> then = list(before, folder);
    NavigableMap<String, FileInfo> now = list(after, folder);
    Set<String> held = new HashSet<>();
    touched.forEach(layers -> held.addAll(listIfThere(layers, folder).keySet()));
    var paths = new TreeSet<>(then.keySet());
    paths.addAll(now.keySet());
    paths.removeAll(ITS_OWN);
    for (String path : paths) {
      if (full()) {
        return;
      }
      compareEntry(path, then.get(path), now.get(path), held.contains(path));
    }
  }

  private void compareEntry(
      String path, @Nullable FileInfo then, @Nullable FileInfo now, boolean held) {
    if (then == null && now != null) {
      addAll(now);
    } else if (then != null && now == null) {
      deleteAll(then);
    } else if (then != null && now != null && held) {
      compareBoth(path, then, now);
    }
  }

  private void compareBoth(String path, FileInfo then, FileInfo now) {
    if (then.type() != now.type()) {
      note(path, Kind.TYPE_CHANGED, true, Optional.of(then), Optional.of(now));
      below(before, then).forEach(this::deleteAll);
      below(after, now).forEach(this::addAll);
      return;
    }
    boolean content = contentDiffers(then, now);
    if (content
        || then.mode() != now.mode()
        || then.uid() != now.uid()
        || then.gid() != now.gid()) {
      note(path, Kind.CHANGED, content, Optional.of(then), Optional.of(now));
    }
    if (then.type() == FileInfo.Type.FOLDER && isNamed(path)) {
      compareFolder(path);
    }
  }

  private void addAll(FileInfo now) {
    note(now.path(), Kind.ADDED, hasContent(now), Optional.empty(), Optional.of(now));
    below(after, now).forEach(this::addAll);
  }

  private void deleteAll(FileInfo then) {
    note(then.path(), Kind.DELETED, hasContent(then), Optional.of(then), Optional.empty());
    below(before, then).forEach(this::deleteAll);
  }

  private static boolean hasContent(FileInfo info) {
    return info.type() == FileInfo.Type.FILE || info.type() == FileInfo.Type.SYMLINK;
  }

  private void note(
      String path, Kind kind, boolean content, Optional<FileInfo> then, Optional<FileInfo> now) {
    if (!full()) {
      changes.add(new Change(path, kind, content, then, now));
    }
  }

  private Iterable<FileInfo> below(GuestFiles files, FileInfo info) {
    return info.type() == FileInfo.Type.FOLDER && isNamed(info.path()) && !full()
        ? list(files, info.path()).values()
        : List.of();
  }

  /** Names that are no UTF-8 come with a replacement, by which nothing can be opened. */
  private static boolean isNamed(String path) {
    return path.indexOf('\ufffd') < 0;
  }

  private NavigableMap<String, FileInfo> listIfThere(GuestFiles files, String folder) {
    try {
      return files.stat(folder, false).type() == FileInfo.Type.FOLDER
          ? list(files, folder)
          : new TreeMap<>();
    } catch (GuestException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return new TreeMap<>();
      }
      throw e;
    }
  }

  /** By path. */
  private NavigableMap<String, FileInfo> list(GuestFiles files, String folder) {
    Listing listing = files.list(folder, 1, MOST_IN_A_FOLDER);
    entries += listing.entries().size();
    if (listing.truncated() || entries > MOST_ENTRIES) {
      throw new CoveException(
          ErrorCode.TOO_LARGE,
          "There is too much to compare: more than %d entries in one folder, or %d in all."
              .formatted(MOST_IN_A_FOLDER, MOST_ENTRIES));
    }
    var byPath = new TreeMap<String, FileInfo>();
    listing.entries().forEach(entry -> byPath.put(entry.path(), entry));
    return byPath;
  }

  private boolean contentDiffers(FileInfo then, FileInfo now) {
    return switch (then.type()) {
      case FOLDER, OTHER -> false;
      case SYMLINK -> !then.linkTarget().equals(now.linkTarget());
      case FILE -> then.size() != now.size() || bytesDiffer(then, now);
    };
  }

  private boolean bytesDiffer(FileInfo then, FileInfo now) {
    if (then.size() == 0) {
      return false;
    }
    if (!isNamed(then.path())) {
      return !then.modifiedAt().equals(now.modifiedAt()); // the best that can be said
    }
    try (FileContent one = before.read(then.path(), 0, -1);
        FileContent other = after.read(now.path(), 0, -1)) {
      return bytesDiffer(one, other);
    } catch (IOException e) {
      throw new GuestLinkException("The link broke while files were compared", e);
    }
  }

  private static boolean bytesDiffer(FileContent one, FileContent other) throws IOException {
    byte[] left = new byte[PIECE];
    byte[] right = new byte[PIECE];
    while (true) {
      int read = one.stream().readNBytes(left, 0, PIECE);
      int readRight = other.stream().readNBytes(right, 0, PIECE);
      if (!Arrays.equals(left, 0, read, right, 0, readRight)) {
        return true;
      }
      if (read < PIECE) {
        return false;
      }
    }
  }
}
