package dev.cove.control.build;

import dev.cove.control.build.TarItem.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * Writes the headers of one entry.
 *
 * <p>What does not fit goes into an extended header of our own: the library takes the square of a
 * name's length to find out that it is too long.
 */
final class TarHeaders {
  private static final int RECORD = 512;
  private static final int MAX_NAME = 100;
  private static final long MAX_ID = 07777777;
  private static final long MAX_SIZE = 077777777777L;

  private TarHeaders() {}

  static byte[] of(TarItem item) {
    String name = item.is(Kind.FOLDER) ? item.name() + "/" : item.name();
    var extended = new ByteArrayOutputStream();
    if (!fits(name)) {
      add(extended, "path", name);
      name = item.is(Kind.FOLDER) ? "long/" : "long";
    }
    String linkTarget = item.linkTarget();
    if (!fits(linkTarget)) {
      add(extended, "linkpath", linkTarget);
      linkTarget = "long";
    }
    addIfLarge(extended, "size", item.size(), MAX_SIZE);
    addIfLarge(extended, "uid", item.uid(), MAX_ID);
    addIfLarge(extended, "gid", item.gid(), MAX_ID);
    var entry = new TarArchiveEntry(name, flag(item.kind()));
    entry.setLinkName(linkTarget);
    entry.setSize(item.size());
    entry.setMode(item.mode());
    entry.setUserId(item.uid());
    entry.setGroupId(item.gid());
    entry.setLastModifiedTime(FileTime.from(Instant.ofEpochSecond(item.modified())));
    return joined(extended.toByteArray(), header(entry));
  }

  private static boolean fits(String text) {
    return text.length() <= MAX_NAME && text.chars().allMatch(c -> c >= ' ' && c < 0x7F);
  }

  private static void addIfLarge(ByteArrayOutputStream out, String key, long value, long largest) {
    if (value > largest) {
      add(out, key, Long.toString(value));
    }
  }

  /** A record begins with its own length, which counts itself. */
  private static void add(ByteArrayOutputStream out, String key, String value) {
    byte[] rest = " %s=%s\n".formatted(key, value).getBytes(StandardCharsets.UTF_8);
    int length = rest.length + 1;
    while (length != rest.length + Integer.toString(length).length()) {
      length = rest.length + Integer.toString(length).length();
    }
    out.writeBytes(Integer.toString(length).getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(rest);
  }

  private static byte[] header(TarArchiveEntry entry) {
    // The library would write the name of whoever runs this server.
    entry.setUserName("");
    entry.setGroupName("");
    byte[] header = new byte[RECORD];
    entry.writeEntryHeader(header);
    return header;
  }

  private static byte[] joined(byte[] extended, byte[] header) {
    if (extended.length == 0) {
      return header;
    }
    var entry = new TarArchiveEntry("extended", TarConstants.LF_PAX_EXTENDED_HEADER_LC);
    entry.setSize(extended.length);
    entry.setModTime(0);
    var all = new ByteArrayOutputStream();
    all.writeBytes(header(entry));
    all.writeBytes(Arrays.copyOf(extended, (extended.length + RECORD - 1) / RECORD * RECORD));
    all.writeBytes(header);
    return all.toByteArray();
  }

  private static byte flag(Kind kind) {
    return switch (kind) {
      case FILE -> TarConstants.LF_NORMAL;
      case FOLDER -> TarConstants.LF_DIR;
      case SYMLINK -> TarConstants.LF_SYMLINK;
      case HARD_LINK -> TarConstants.LF_LINK;
      case OTHER -> throw new IllegalArgumentException("Devices and pipes are not packed");
    };
  }
}
