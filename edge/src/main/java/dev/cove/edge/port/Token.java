package dev.cove.edge.port;

/** What may stand in the head of an HTTP message. Anything else could end a line, or a head. */
final class Token {
  private static final String MARKS = "!#$%&'*+-.^_`|~";

  private Token() {}

  static boolean isName(String text) {
    return !text.isEmpty() && text.chars().allMatch(Token::isTokenCharacter);
  }

  private static boolean isTokenCharacter(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || MARKS.indexOf(c) >= 0;
  }

  /** One line, of Latin-1. */
  static boolean isValue(String text) {
    return text.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7f && c <= 0xff));
  }

  static boolean isTarget(String text) {
    return text.startsWith("/") && text.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }
}
