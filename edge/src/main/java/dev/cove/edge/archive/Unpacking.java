package dev.cove.edge.archive;

import dev.cove.edge.file.GuestPath;
import dev.cove.edge.http.Text;
import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Unpacks one archive below one folder of a sandbox.
 *
 * <p>It stops at the first entry that it does not want; what it unpacked before stays, and the
 * error says how much that was. Owners and times are not kept: files belong to the user that
 * unpacks. Links are made as they are written, but nothing of the same archive is written through
 * one. A hard link becomes a copy of the file it names.
 */
final class Unpacking {
  static final int MAX_ENTRIES = 100_000;
  static final long MAX_BYTES = 64L * 1024 * 1024 * 1024;

  /** Names of links and odd folders are remembered, so their total is bounded. */
  private static final int MAX_REMEMBERED = 16 * 1024 * 1024;

  private static final int OWNER_ALL = 0700;
  private static final int PERMISSIONS = 0777;

  private final GuestFiles files;
  private final String base;
  private final long maxBytes;
  private final Set<String> links = new HashSet<>();
  private final Map<String, Integer> unusualFolders = new LinkedHashMap<>();
  private int remembered;
  private int entries;
  private int fileCount;
  private int folderCount;
  private int linkCount;
  private long bytes;

  /**
   * @param maxBytes of content, all files together
   */
  Unpacking(GuestFiles files, String base, long maxBytes) {
    this.files = files;
    this.base = base.endsWith("/") ? base : base + "/";
    this.maxBytes = Math.min(maxBytes, MAX_BYTES);
  }

  /** What was unpacked. */
  record Unpacked(int files, int folders, int symlinks, long bytes) {}

  Unpacked run(InputStream tar) throws IOException {
    var reader = new TarReader(tar);
    try {
      for (Optional<TarEntry> entry = reader.next(); entry.isPresent(); entry = reader.next()) {
        unpack(entry.get(), reader.content());
      }
    } catch (CoveException e) {
      throw new CoveException(e.code(), stopped(e), e);
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, stopped(e), e);
    }
    unusualFolders.forEach(files::chmod);
    return new Unpacked(fileCount, folderCount, linkCount, bytes);
  }

  private void unpack(TarEntry entry, InputStream content) {
    if (++entries > MAX_ENTRIES) {
      throw new CoveException(
          ErrorCode.TOO_LARGE, "The archive has more than %d entries".formatted(MAX_ENTRIES));
    }
    String name = EntryName.require(entry.name(), entry.name());
    if (name.isEmpty()) {
      requireFolder(entry);
      return;
    }
    requireNoLinkAbove(entry, name);
    GuestPath.require("Entry " + Text.quote(entry.name()), base + name);
    try {
      place(entry, name, content);
    } catch (GuestException e) {
      throw new CoveException(
          e.code(), "Entry %s: %s".formatted(Text.quote(entry.name()), e.getMessage()), e);
    }
  }

  private void place(TarEntry entry, String name, InputStream content) {
    String path = base + name;
    if (links.remove(name)) {
      files.remove(path, false);
    }
    switch (entry.kind()) {
      case FILE -> {
        count(entry, entry.size());
        files.write(path, content, mode(entry), true);
        fileCount++;
      }
      case FOLDER -> {
        makeFolder(name, entry.mode());
        folderCount++;
      }
      case SYMLINK -> {
        GuestPath.requireText("The target of " + Text.quote(entry.name()), entry.linkName());
        remember(name);
        links.add(name);
        makeLink(path, entry.linkName());
        linkCount++;
      }
      case HARD_LINK -> {
        copy(entry, path);
        fileCount++;
      }
    }
  }

  private void makeFolder(String name, int mode) {
    int permissions = mode & PERMISSIONS;
    String path = base + name;
    try {
      files.mkdir(path, permissions | OWNER_ALL, true);
    } catch (GuestException e) {
      if (e.code() != ErrorCode.CONFLICT || files.stat(path, true).type() != FileInfo.Type.FOLDER) {
        throw e;
      }
    }
    // A folder that its owner may not write to gets its mode when all is in it.
    if ((permissions & OWNER_ALL) != OWNER_ALL) {
      remember(name);
      unusualFolders.put(path, permissions);
    }
  }

  private void makeLink(String path, String target) {
    try {
      files.symlink(path, target);
    } catch (GuestException e) {
      switch (e.code()) {
        case NOT_FOUND -> files.mkdir(path.substring(0, path.lastIndexOf('/')), 0755, true);
        case CONFLICT -> files.remove(path, false);
        default -> throw e;
      }
      files.symlink(path, target);
    }
  }

  private void copy(TarEntry entry, String path) {
    String target = EntryName.require(entry.linkName(), entry.name());
    requireNoLinkAbove(entry, target);
    if (target.isEmpty() || links.contains(target)) {
      throw new BadArchiveException(
          "Entry %s is a hard link to something that is not a file"
              .formatted(Text.quote(entry.name())));
    }
    FileInfo source = files.stat(base + target, false);
    if (source.type() != FileInfo.Type.FILE) {
      throw new BadArchiveException(
          "Entry %s is a hard link to something that is not a file"
              .formatted(Text.quote(entry.name())));
    }
    if ((base + target).equals(path)) {
      return;
    }
    count(entry, source.size());
    try (FileContent content = files.read(base + target, 0, source.size())) {
      files.write(path, content.stream(), mode(entry), true);
    } catch (IOException e) {
      throw new BadArchiveException(
          "Entry %s could not be copied".formatted(Text.quote(entry.name())), e);
    }
  }

  private static OptionalInt mode(TarEntry entry) {
    // Set-user-id, set-group-id and sticky bits are dropped.
    return OptionalInt.of(entry.mode() & PERMISSIONS);
  }

  private void count(TarEntry entry, long size) {
    if (size > maxBytes - bytes) {
      throw new CoveException(
          ErrorCode.TOO_LARGE,
          "Entry %s would make it more than the %d bytes that fit"
              .formatted(Text.quote(entry.name()), maxBytes));
    }
    bytes += size;
  }

  private void requireNoLinkAbove(TarEntry entry, String name) {
    for (int slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
      if (links.contains(name.substring(0, slash))) {
        throw new BadArchiveException(
            "Entry %s leads through a link of the same archive"
                .formatted(Text.quote(entry.name())));
      }
    }
  }

  private void remember(String name) {
    remembered += name.getBytes(StandardCharsets.UTF_8).length;
    if (remembered > MAX_REMEMBERED) {
      throw new CoveException(ErrorCode.TOO_LARGE, "The archive's links have too long names");
    }
  }

  private static void requireFolder(TarEntry entry) {
    if (entry.kind() != TarEntry.Kind.FOLDER) {
      throw new BadArchiveException(
          "Entry %s has no name of its own".formatted(Text.quote(entry.name())));
    }
  }

  private String stopped(RuntimeException why) {
    return "%s. %d files, %d folders and %d links were unpacked before and stay"
        .formatted(why.getMessage(), fileCount, folderCount, linkCount);
  }
}
