package dev.cove.edge.archive;

import dev.cove.edge.http.Text;

/** Names inside an archive, made plain: relative, no dots, no doubled slashes. */
final class EntryName {
  private EntryName() {}

  /**
   * The name without {@code .} and empty parts; empty for the archive's own root.
   *
   * @param entry the entry to name when it is refused
   */
  static String require(String name, String entry) {
    if (name.startsWith("/")) {
      throw refused(entry, "has an absolute name");
    }
    if (name.indexOf('\0') >= 0) {
      throw refused(entry, "has a NUL character in its name");
    }
    var plain = new StringBuilder(name.length());
    for (String part : name.split("/", -1)) {
      if (part.equals("..")) {
        throw refused(entry, "leads out of the folder with ..");
      }
      if (!part.isEmpty() && !part.equals(".")) {
        plain.append(plain.isEmpty() ? "" : "/").append(part);
      }
    }
    return plain.toString();
  }

  private static BadArchiveException refused(String entry, String why) {
    return new BadArchiveException("Entry %s %s".formatted(Text.quote(entry), why));
  }
}
