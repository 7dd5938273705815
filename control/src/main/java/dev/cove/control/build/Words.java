package dev.cove.control.build;

import java.util.ArrayList;
import java.util.List;

/**
 * Reads the quotes and escapes of a Dockerfile.
 *
 * <p>{@link #unquote} gives the form that {@link Expansion} reads, so that steps that never were in
 * a Dockerfile need no quotes.
 */
final class Words {
  private static final int MAX_DEPTH = 50;

  private final int line;
  private final String raw;
  private final char escape;
  private final StringBuilder out = new StringBuilder();
  private int at;
  private int depth;

  private Words(int line, String raw, char escape) {
    this.line = line;
    this.raw = raw;
    this.escape = escape;
  }

  /** Cuts at blanks outside of quotes; quotes and escapes stay. */
  static List<String> split(String text, char escape) {
    var words = new ArrayList<String>();
    int at = 0;
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
        continue;
      }
      int end = endOfWord(text, at, escape);
      words.add(text.substring(at, end));
      at = end;
    }
    return words;
  }

  private static int endOfWord(String text, int start, char escape) {
    char quote = 0;
    int at = start;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == escape && quote != '\'') {
        at++;
      } else if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (Character.isWhitespace(c)) {
        return at;
      } else if (c == '"' || c == '\'') {
        quote = c;
      }
      at++;
    }
    return text.length();
  }

  /** Cuts at blanks, quoted or not. */
  static List<String> splitAtBlanks(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
  }

  static List<String> unquote(Instruction instruction, List<String> words) {
    return words.stream().map(word -> unquote(instruction, word)).toList();
  }

  static String unquote(Instruction instruction, String word) {
    var words = new Words(instruction.line(), word, instruction.escape());
    words.plain(false);
    return words.out.toString();
  }

  private void plain(boolean inBraces) {
    while (at < raw.length()) {
      char c = raw.charAt(at);
      if (inBraces && c == '}') {
        return;
      }
      at++;
      if (c == '\'') {
        singleQuoted(inBraces);
      } else if (c == '"') {
        doubleQuoted(inBraces);
      } else if (c == escape) {
        if (at < raw.length()) {
          literal(raw.charAt(at++), inBraces);
        }
      } else if (c == '$') {
        dollar();
      } else {
        literal(c, inBraces);
      }
    }
  }

  private void singleQuoted(boolean inBraces) {
    while (next() != '\'') {
      literal(raw.charAt(at++), inBraces);
    }
    at++;
  }

  private void doubleQuoted(boolean inBraces) {
    while (next() != '"') {
      char c = raw.charAt(at++);
      if (c == escape && isEscapable(next())) {
        literal(raw.charAt(at++), inBraces);
      } else if (c == '$') {
        dollar();
      } else {
        literal(c, inBraces);
      }
    }
    at++;
  }

  private boolean isEscapable(char c) {
    return c == '"' || c == '$' || c == escape;
  }

  private char next() {
    if (at >= raw.length()) {
      throw new BuildException(line, "A quote is not closed: " + Expansion.shown(raw));
    }
    return raw.charAt(at);
  }

  /** Names are put into braces, because quotes that ended them are about to go. */
  private void dollar() {
    boolean braced = at < raw.length() && raw.charAt(at) == '{';
    int start = braced ? at + 1 : at;
    at = Expansion.endOfName(raw, start);
    String name = raw.substring(start, at);
    if (!braced) {
      out.append(name.isEmpty() ? "\\$" : "${" + name + "}");
      return;
    }
    if (name.isEmpty()) {
      throw new BuildException(line, "A '${' has no name: " + Expansion.shown(raw));
    }
    out.append("${").append(name);
    modifier();
    if (at >= raw.length()) {
      throw new BuildException(line, "A '${' has no '}': " + Expansion.shown(raw));
    }
    at++;
    out.append('}');
  }

  private void modifier() {
    if (at < raw.length() && raw.charAt(at) == ':') {
      out.append(raw.charAt(at++));
    }
    if (at >= raw.length() || (raw.charAt(at) == '}' && raw.charAt(at - 1) != ':')) {
      return;
    }
    if (++depth > MAX_DEPTH) {
      throw new BuildException(line, "Variables are nested more than %d deep".formatted(MAX_DEPTH));
    }
    Expansion.requireModifier(line, raw.charAt(at));
    out.append(raw.charAt(at++));
    plain(true);
    depth--;
  }

  private void literal(char c, boolean inBraces) {
    if (c == '\\' || c == '$' || (inBraces && c == '}')) {
      out.append('\\');
    }
    out.append(c);
  }
}
