package dev.cove.edge.archive;

import dev.cove.edge.archive.TarEntry.Kind;
import dev.cove.edge.http.Text;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** One 512-byte header block. */
record TarHeader(String name, String linkName, int mode, long size, char type) {
  private static final int CHECKSUM = 148;
  private static final int TYPE = 156;
  private static final int PREFIX = 345;

  static boolean isEnd(byte[] block) {
    for (byte b : block) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }

  static TarHeader parse(byte[] block, String where) {
    requireChecksum(block, where);
    char type = (char) (block[TYPE] & 0xff);
    String name = text(block, 0, 100, where);
    // GNU tar keeps times where ustar has the prefix, and says so by two blanks in its magic.
    boolean ustar = new String(block, 257, 6, StandardCharsets.ISO_8859_1).equals("ustar\0");
    String prefix = ustar ? text(block, PREFIX, 155, where) : "";
    return new TarHeader(
        prefix.isEmpty() ? name : prefix + "/" + name,
        text(block, 157, 100, where),
        (int) (number(block, 100, 8, where) & 07777),
        number(block, 124, 12, where),
        type);
  }

  /** The member this header begins; names from headers before it, where they are not empty. */
  TarEntry toEntry(String longName, String longLink) {
    String fullName = longName.isEmpty() ? name : longName;
    Kind kind = kind(fullName);
    return new TarEntry(
        fullName,
        kind,
        kind == Kind.FILE ? size : 0,
        mode,
        longLink.isEmpty() ? linkName : longLink);
  }

  private Kind kind(String fullName) {
    return switch (type) {
      case '\0', '0', '7' -> fullName.endsWith("/") ? Kind.FOLDER : Kind.FILE;
      case '1' -> Kind.HARD_LINK;
      case '2' -> Kind.SYMLINK;
      case '5' -> Kind.FOLDER;
      case '3', '4' -> throw refused(fullName, "is a device");
      case '6' -> throw refused(fullName, "is a named pipe");
      case 'S' -> throw refused(fullName, "is stored as a sparse file");
      default -> throw refused(fullName, "is of a kind that is not known");
    };
  }

  private static BadArchiveException refused(String name, String why) {
    return new BadArchiveException("Entry %s %s".formatted(Text.quote(name), why));
  }

  /** Bytes up to the first NUL, as UTF-8. */
  static String text(byte[] bytes, int offset, int length, String where) {
    int end = offset;
    while (end < offset + length && bytes[end] != 0) {
      end++;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes, offset, end - offset))
          .toString();
    } catch (CharacterCodingException e) {
      throw new BadArchiveException("A name %s is not UTF-8".formatted(where), e);
    }
  }

  private static long number(byte[] block, int offset, int length, String where) {
    if ((block[offset] & 0x80) != 0) {
      return binary(block, offset, length, where);
    }
    long value = 0;
    int i = offset;
    int end = offset + length;
    while (i < end && block[i] == ' ') {
      i++;
    }
    for (; i < end && block[i] != 0 && block[i] != ' '; i++) {
      if (block[i] < '0' || block[i] > '7') {
        throw new BadArchiveException(
            "A header %s holds no number where one belongs".formatted(where));
      }
      value = value << 3 | (block[i] - '0');
    }
    return value;
  }

  // Base 256, big-endian, for what does not fit into octal digits.
  private static long binary(byte[] block, int offset, int length, String where) {
    long value = block[offset] & 0x7f;
    for (int i = offset + 1; i < offset + length; i++) {
      if (value > Long.MAX_VALUE >> 9) {
        throw new BadArchiveException("A header %s holds a number out of range".formatted(where));
      }
      value = value << 8 | (block[i] & 0xff);
    }
    return value;
  }

  private static void requireChecksum(byte[] block, String where) {
    long unsigned = 0;
    long signed = 0;
    for (int i = 0; i < block.length; i++) {
      byte b = i >= CHECKSUM && i < CHECKSUM + 8 ? (byte) ' ' : block[i];
      unsigned += b & 0xff;
      signed += b;
    }
    long stated = number(block, CHECKSUM, 8, where);
    if (stated != unsigned && stated != signed) {
      throw new BadArchiveException("The data %s is not tar, or it is damaged".formatted(where));
    }
  }
}
