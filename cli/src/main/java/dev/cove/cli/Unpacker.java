package dev.cove.cli;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Unpacks an archive that hostile code may have filled, below one folder and nowhere else.
 *
 * <p>Names that climb out are refused. No link is ever walked through, neither one from the archive
 * nor one that was there before. Links that lead out of the folder are not made: they would lie in
 * wait for whoever writes to that name next. Set-id bits, owners and devices stay behind.
 */
final class Unpacker {
  private static final int MAX_LEFT_OUT_NAMES = 20;

  private final Path root;
  private final List<String> leftOut = new ArrayList<>();
  private int leftOutCount;

  Unpacker(Path root) {
    this.root = root;
  }

  /** What was not unpacked, and why; at most some of it by name. */
  List<String> leftOut() {
    List<String> result = new ArrayList<>(leftOut);
    if (leftOutCount > leftOut.size()) {
      result.add((leftOutCount - leftOut.size()) + " more");
    }
    return result;
  }

  void unpack(InputStream tarGz) throws IOException {
    try (var tar =
        new TarArchiveInputStream(
            new GZIPInputStream(new BufferedInputStream(tarGz, 64 * 1024)),
            StandardCharsets.UTF_8.name())) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        unpack(entry, tar);
      }
    }
  }

  private void unpack(TarArchiveEntry entry, InputStream content) throws IOException {
    List<String> parts = parts(entry.getName());
    if (parts.isEmpty()) {
      return;
    }
    Path folder = folder(parts.subList(0, parts.size() - 1));
    Path target = folder.resolve(parts.getLast());
    if (entry.isDirectory()) {
      makeFolder(target);
      Files.setPosixFilePermissions(target, Modes.permissions(entry.getMode() | 0700));
    } else if (entry.isSymbolicLink()) {
      if (staysInside(parts, entry.getLinkName())) {
        makeWay(target);
        Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
      } else {
        leaveOut(entry, "a link that leads out of the folder");
      }
    } else if (isPlainFile(entry)) {
      makeWay(target);
      Files.copy(content, target);
      Files.setPosixFilePermissions(target, Modes.permissions(entry.getMode()));
    } else {
      leaveOut(entry, "neither a file, a folder nor a link");
    }
  }

  /** What the library itself calls a file includes devices and pipes. */
  private static boolean isPlainFile(TarArchiveEntry entry) {
    return entry.isFile()
        && !entry.isLink()
        && !entry.isCharacterDevice()
        && !entry.isBlockDevice()
        && !entry.isFIFO();
  }

  private void leaveOut(TarArchiveEntry entry, String why) {
    leftOutCount++;
    if (leftOut.size() < MAX_LEFT_OUT_NAMES) {
      leftOut.add(Table.printable(entry.getName()) + ": " + why);
    }
  }

  private static List<String> parts(String name) {
    List<String> parts = new ArrayList<>();
    for (String part : name.split("/", -1)) {
      if (part.equals("..") || part.indexOf('\0') >= 0) {
        throw hostile(name);
      }
      if (!part.isEmpty() && !part.equals(".")) {
        parts.add(part);
      }
    }
    if (name.startsWith("/")) {
      throw hostile(name);
    }
    return parts;
  }

  private static UserError hostile(String name) {
    return new UserError(
        "The archive has an entry that leads out of the folder (%s); nothing more was unpacked"
            .formatted(Table.printable(name)));
  }

  /** Walks down from the root, making folders, through no link. */
  private Path folder(List<String> parts) throws IOException {
    Path folder = root;
    for (String part : parts) {
      folder = folder.resolve(part);
      makeFolder(folder);
    }
    return folder;
  }

  private static void makeFolder(Path folder) throws IOException {
    if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      throw new UserError(folder + " is in the way: it is not a folder");
    }
    Files.createDirectory(folder);
  }

  private static void makeWay(Path target) throws IOException {
    if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new UserError(target + " is in the way: it is a folder");
    }
    Files.deleteIfExists(target);
  }

  /**
   * Steps up may come first only. After a name they could be taken from wherever another link leads
   * to, and so climb higher than they count here.
   */
  private static boolean staysInside(List<String> link, String target) {
    if (target.isEmpty() || target.startsWith("/") || target.indexOf('\0') >= 0) {
      return false;
    }
    int stepsUp = 0;
    boolean named = false;
    for (String part : target.split("/", -1)) {
      if (part.equals("..")) {
        stepsUp++;
        if (named || stepsUp > link.size() - 1) {
          return false;
        }
      } else if (!part.isEmpty() && !part.equals(".")) {
        named = true;
      }
    }
    return true;
  }
}
