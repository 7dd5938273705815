package dev.cove.cli;

import dev.cove.model.file.ByteText;
import java.nio.charset.StandardCharsets;

/** Shows what would otherwise drive the reader's terminal. */
final class Escapes {
  private static final int LONE_BYTE = 0xdc00;

  private Escapes() {}

  /** Control characters but tabs, and those that change the direction of text, as {@code \\x1b}. */
  static String visible(String text) {
    var result = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> {
          if (c >= LONE_BYTE + 0x80 && c <= LONE_BYTE + 0xff) {
            result.append("\\x%02x".formatted(c - LONE_BYTE));
          } else if (c != '\t' && isUnseen(c)) {
            result.append((c <= 0xff ? "\\x%02x" : "\\u{%x}").formatted(c));
          } else {
            result.appendCodePoint(c);
          }
        });
    return result.toString();
  }

  private static boolean isUnseen(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> false;
    };
  }

  /**
   * A line of a file, in which each character stands for one byte; bytes that are no UTF-8 are
   * shown one by one.
   */
  static String visibleLine(String bytes) {
    String line = bytes.endsWith("\n") ? bytes.substring(0, bytes.length() - 1) : bytes;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if ((c < ' ' && c != '\t') || c >= 0x7f) {
        return visible(ByteText.decode(line.getBytes(StandardCharsets.ISO_8859_1)));
      }
    }
    return line;
  }
}
