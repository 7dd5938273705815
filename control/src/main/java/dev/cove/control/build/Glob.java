package dev.cove.control.build;

import java.util.ArrayList;
import java.util.List;

/**
 * A pattern for one part of a path: {@code *}, {@code ?}, {@code [a-z]}, {@code [^a-z]}, {@code
 * \x}.
 *
 * <p>Matching takes at most the product of both lengths, and its effort is counted.
 */
final class Glob {
  private sealed interface Token {
    record Any() implements Token {}

    record One() implements Token {}

    record Literal(int character) implements Token {}

    record Range(int first, int last) {}

    record OneOf(boolean negated, List<Range> ranges) implements Token {
      boolean matches(int character) {
        boolean isIn =
            ranges.stream().anyMatch(r -> r.first() <= character && character <= r.last());
        return isIn != negated;
      }
    }
  }

  private final List<Token> tokens = new ArrayList<>();
  private final int[] pattern;
  private int at;

  /**
   * @throws BuildException if brackets or an escape are not complete
   */
  Glob(String text) {
    pattern = text.codePoints().toArray();
    while (at < pattern.length) {
      tokens.add(token());
    }
  }

  static boolean isPattern(String text) {
    return text.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '\\');
  }

  private Token token() {
    int c = pattern[at++];
    return switch (c) {
      case '*' -> new Token.Any();
      case '?' -> new Token.One();
      case '[' -> oneOf();
      case '\\' -> new Token.Literal(take());
      default -> new Token.Literal(c);
    };
  }

  private Token oneOf() {
    boolean negated = at < pattern.length && pattern[at] == '^';
    if (negated) {
      at++;
    }
    var ranges = new ArrayList<Token.Range>();
    while (ranges.isEmpty() || (at < pattern.length && pattern[at] != ']')) {
      int first = takeInBrackets();
      int last = first;
      if (at < pattern.length && pattern[at] == '-') {
        at++;
        last = takeInBrackets();
      }
      ranges.add(new Token.Range(first, last));
    }
    take();
    return new Token.OneOf(negated, ranges);
  }

  private int takeInBrackets() {
    int c = take();
    if (c == '-' || c == ']') {
      throw new BuildException("a '-' or ']' is in the wrong place");
    }
    return c == '\\' ? take() : c;
  }

  private int take() {
    if (at >= pattern.length) {
      throw new BuildException("a '[' or '\\' is not complete");
    }
    return pattern[at++];
  }

  boolean matches(int[] text, Effort effort) {
    effort.spend(1);
    int token = 0;
    int character = 0;
    int starToken = -1;
    int starCharacter = 0;
    while (character < text.length) {
      if (token < tokens.size() && tokens.get(token) instanceof Token.Any) {
        starToken = token++;
        starCharacter = character;
      } else if (token < tokens.size() && matchesOne(tokens.get(token), text[character])) {
        token++;
        character++;
        effort.spend(1);
      } else if (starToken >= 0) {
        token = starToken + 1;
        character = ++starCharacter;
        effort.spend(1);
      } else {
        return false;
      }
    }
    while (token < tokens.size() && tokens.get(token) instanceof Token.Any) {
      token++;
    }
    return token == tokens.size();
  }

  private static boolean matchesOne(Token token, int character) {
    return switch (token) {
      case Token.Any _ -> true;
      case Token.One _ -> true;
      case Token.Literal literal -> literal.character() == character;
      case Token.OneOf oneOf -> oneOf.matches(character);
    };
  }
}
