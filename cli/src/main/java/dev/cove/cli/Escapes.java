package dev.cove.cli;

/** Shows what would otherwise drive the reader's terminal. */
final class Escapes {
  private Escapes() {}

  /** Control characters but tabs, and those that change the direction of text, as {@code \\x1b}. */
  static String visible(String text) {
    var result = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> {
          if (c != '\t'
              && (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT)) {
            result.append((c <= 0xff ? "\\x%02x" : "\\u{%x}").formatted(c));
          } else {
            result.appendCodePoint(c);
          }
        });
    return result.toString();
  }
}
