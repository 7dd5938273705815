package dev.cove.edge.port;

/**
 * What may stand in the head of an HTTP message. Anything else could end a line, or a head. Every
 * character of every request comes by here, so these are plain loops.
 */
final class Token {
  private static final String MARKS = "!#$%&'*+-.^_`|~";
  private static final boolean[] IN_NAMES = new boolean[128];

  static {
    for (char c = 0; c < IN_NAMES.length; c++) {
      IN_NAMES[c] =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || MARKS.indexOf(c) >= 0;
    }
  }

  private Token() {}

  static boolean isName(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= IN_NAMES.length || !IN_NAMES[c]) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** One line, of Latin-1. */
  static boolean isValue(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\t' && (c < ' ' || c == 0x7f || c > 0xff)) {
        return false;
      }
    }
    return true;
  }

  static boolean isTarget(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        return false;
      }
    }
    return text.startsWith("/");
  }
}
