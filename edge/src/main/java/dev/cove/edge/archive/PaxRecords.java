package dev.cove.edge.archive;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** What a pax header says about the member after it. Only name, link and size matter here. */
final class PaxRecords {
  private static final int LONGEST_LENGTH = 7;

  private final Map<String, String> values = new HashMap<>();

  /** Records have the form {@code "length key=value\n"}, where length counts all of it. */
  static PaxRecords parse(byte[] bytes, String where) {
    var records = new PaxRecords();
    for (int at = 0; at < bytes.length && bytes[at] != 0; ) {
      int blank = at;
      int length = 0;
      while (blank < bytes.length && blank - at < LONGEST_LENGTH && isDigit(bytes[blank])) {
        length = length * 10 + (bytes[blank] - '0');
        blank++;
      }
      int end = at + length;
      if (blank >= bytes.length
          || bytes[blank] != ' '
          || end > bytes.length
          || end <= blank + 1
          || bytes[end - 1] != '\n') {
        throw broken(where);
      }
      records.add(bytes, blank + 1, end - 1, where);
      at = end;
    }
    return records;
  }

  private void add(byte[] bytes, int from, int to, String where) {
    int equals = from;
    while (equals < to && bytes[equals] != '=') {
      equals++;
    }
    if (equals == to) {
      throw broken(where);
    }
    String key = new String(bytes, from, equals - from, StandardCharsets.ISO_8859_1);
    switch (key) {
      case "path", "linkpath", "size" -> {
        for (int i = equals + 1; i < to; i++) {
          if (bytes[i] == 0) {
            throw new BadArchiveException("A name %s contains a NUL character".formatted(where));
          }
        }
        values.put(key, TarHeader.text(bytes, equals + 1, to - equals - 1, where));
      }
      default -> {
        if (key.startsWith("GNU.sparse.")) {
          throw new BadArchiveException("An entry %s is stored as a sparse file".formatted(where));
        }
      }
    }
  }

  TarEntry applyTo(TarEntry entry) {
    String size = values.get("size");
    return new TarEntry(
        values.getOrDefault("path", entry.name()),
        entry.kind(),
        size == null || entry.kind() != TarEntry.Kind.FILE ? entry.size() : size(size),
        entry.mode(),
        values.getOrDefault("linkpath", entry.linkName()));
  }

  private static long size(String text) {
    if (!text.matches("[0-9]{1,18}")) {
      throw new BadArchiveException("A pax header gives a size that is no number");
    }
    return Long.parseLong(text);
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private static BadArchiveException broken(String where) {
    return new BadArchiveException("A pax header %s is not well-formed".formatted(where));
  }
}
