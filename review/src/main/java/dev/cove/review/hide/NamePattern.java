package dev.cove.review.hide;

/**
 * A pattern for one name: {@code *}, {@code ?}, {@code [a-z]}, {@code [!a-z]} and {@code \x}.
 * Matching takes at most the product of both lengths.
 */
record NamePattern(String text) {
  boolean isLiteral() {
    return isLiteral(text);
  }

  private static boolean isLiteral(String text) {
    return text.chars().noneMatch(c -> c == '*' || c == '?' || c == '[' || c == '\\');
  }

  boolean matches(String name) {
    int at = 0;
    int character = 0;
    int star = -1;
    int starCharacter = 0;
    while (character < name.length()) {
      if (at < text.length() && text.charAt(at) == '*') {
        star = at++;
        starCharacter = character;
      } else if (at < text.length() && one(at, name.charAt(character))) {
        at = after(at);
        character++;
      } else if (star >= 0) {
        at = star + 1;
        character = ++starCharacter;
      } else {
        return false;
      }
    }
    while (at < text.length() && text.charAt(at) == '*') {
      at++;
    }
    return at == text.length();
  }

  private boolean one(int at, char c) {
    return switch (text.charAt(at)) {
      case '?' -> true;
      case '\\' -> at + 1 < text.length() && text.charAt(at + 1) == c;
      case '[' -> end(at) < 0 ? c == '[' : inBrackets(at + 1, end(at), c);
      default -> text.charAt(at) == c;
    };
  }

  private int after(int at) {
    return switch (text.charAt(at)) {
      case '\\' -> Math.min(at + 2, text.length());
      case '[' -> end(at) < 0 ? at + 1 : end(at) + 1;
      default -> at + 1;
    };
  }

  /** Of brackets; those that are not closed are an ordinary character. */
  private int end(int at) {
    boolean negated = at + 1 < text.length() && isNegation(text.charAt(at + 1));
    return text.indexOf(']', at + (negated ? 3 : 2));
  }

  private static boolean isNegation(char c) {
    return c == '!' || c == '^';
  }

  private boolean inBrackets(int from, int to, char c) {
    boolean negated = isNegation(text.charAt(from));
    boolean in = false;
    for (int i = negated ? from + 1 : from; i < to; i++) {
      if (i + 2 < to && text.charAt(i + 1) == '-') {
        in |= text.charAt(i) <= c && c <= text.charAt(i + 2);
        i += 2;
      } else {
        in |= text.charAt(i) == c;
      }
    }
    return in != negated;
  }
}
