package dev.cove.guest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.Arrays;

/** Builds archives, right and wrong ones, field by field. */
final class TarBytes {
  private static final int BLOCK = 512;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private int mode = 0644;
  private long uid;
  private long gid;
  private long seconds = 1_000_000_000;

  TarBytes mode(int newMode) {
    mode = newMode;
    return this;
  }

  TarBytes owner(long newUid, long newGid) {
    uid = newUid;
    gid = newGid;
    return this;
  }

  TarBytes time(long newSeconds) {
    seconds = newSeconds;
    return this;
  }

  TarBytes file(String name, String content) {
    byte[] bytes = content.getBytes(UTF_8);
    return header('0', name, "", bytes.length).content(bytes);
  }

  TarBytes folder(String name) {
    int before = mode;
    return mode(0755).header('5', name, "", 0).mode(before);
  }

  TarBytes symlink(String name, String target) {
    return header('2', name, target, 0);
  }

  TarBytes hardLink(String name, String target) {
    return header('1', name, target, 0);
  }

  TarBytes pax(String... records) {
    return extended('x', records);
  }

  TarBytes extended(char type, String... records) {
    StringBuilder all = new StringBuilder();
    for (String record : records) {
      all.append(paxRecord(record));
    }
    byte[] bytes = all.toString().getBytes(UTF_8);
    return header(type, "././@PaxHeader", "", bytes.length).content(bytes);
  }

  /** Its length counts its own digits, too. */
  static String paxRecord(String record) {
    int bytes = record.getBytes(UTF_8).length + 2;
    int length = bytes + 1;
    while (String.valueOf(length).length() + bytes != length) {
      length++;
    }
    return length + " " + record + "\n";
  }

  TarBytes header(char type, String name, String link, long size) {
    byte[] block = new byte[BLOCK];
    text(block, 0, 100, name);
    number(block, 100, 8, mode);
    number(block, 108, 8, uid);
    number(block, 116, 8, gid);
    number(block, 124, 12, size);
    number(block, 136, 12, seconds);
    block[156] = (byte) type;
    text(block, 157, 100, link);
    text(block, 257, 8, "ustar\00000");
    return raw(sealed(block));
  }

  /** Puts the checksum in. */
  static byte[] sealed(byte[] block) {
    Arrays.fill(block, 148, 156, (byte) ' ');
    int sum = 0;
    for (byte b : block) {
      sum += b & 0xff;
    }
    text(block, 148, 8, "%06o\0 ".formatted(sum));
    return block;
  }

  TarBytes content(byte[] bytes) {
    return raw(bytes).raw(new byte[-bytes.length & (BLOCK - 1)]);
  }

  TarBytes raw(byte[] bytes) {
    out.writeBytes(bytes);
    return this;
  }

  TarBytes end() {
    return raw(new byte[2 * BLOCK]);
  }

  byte[] bytes() {
    return out.toByteArray();
  }

  InputStream stream() {
    return new ByteArrayInputStream(bytes());
  }

  static void text(byte[] block, int at, int length, String text) {
    byte[] bytes = text.getBytes(ISO_8859_1);
    System.arraycopy(bytes, 0, block, at, Math.min(length, bytes.length));
  }

  /** In octal where it fits, else in binary. */
  private static void number(byte[] block, int at, int length, long value) {
    String octal = Long.toOctalString(value);
    if (value >= 0 && octal.length() < length) {
      text(block, at, length, "0".repeat(length - 1 - octal.length()) + octal);
      return;
    }
    for (int i = length - 1; i >= 0; i--) {
      int shift = 8 * (length - 1 - i);
      block[at + i] = (byte) (shift > 63 ? value >> 63 : value >> shift);
    }
    block[at] |= (byte) 0x80;
  }
}
