package dev.cove.control.build;

import java.util.Optional;

/** Fills the variables of one text in. */
final class Expansion {
  private static final int MAX_DEPTH = 50;
  private static final int MAX_SHOWN = 80;
  private static final String MODIFIERS = "-+?";
  private static final String SPECIAL = "@*#?-$!";

  private final Variables variables;
  private final int line;
  private final String text;
  private int at;
  private int depth;

  Expansion(Variables variables, int line, String text) {
    this.variables = variables;
    this.line = line;
    this.text = text;
  }

  String run() {
    return words(false);
  }

  /**
   * @param inBraces whether an unescaped closing brace ends it
   */
  private String words(boolean inBraces) {
    if (++depth > MAX_DEPTH) {
      throw new BuildException(line, "Variables are nested more than %d deep".formatted(MAX_DEPTH));
    }
    var out = new StringBuilder();
    while (at < text.length() && !(inBraces && text.charAt(at) == '}')) {
      char c = text.charAt(at++);
      if (c == '\\' && at < text.length() && isEscapable(text.charAt(at), inBraces)) {
        out.append(text.charAt(at++));
      } else if (c == '$') {
        out.append(dollar());
      } else {
        out.append(c);
      }
      if (out.length() > Variables.MAX_VALUE) {
        throw new BuildException(
            line,
            "A value has more than %d characters once its variables are filled in"
                .formatted(Variables.MAX_VALUE));
      }
    }
    depth--;
    return out.toString();
  }

  private static boolean isEscapable(char c, boolean inBraces) {
    return c == '\\' || c == '$' || (inBraces && c == '}');
  }

  private String dollar() {
    if (at < text.length() && text.charAt(at) == '{') {
      at++;
      return braced();
    }
    String name = name();
    return name.isEmpty() ? "$" : variables.find(name).orElse("");
  }

  private String braced() {
    String name = name();
    if (name.isEmpty() || at >= text.length()) {
      throw new BuildException(
          line, "'%s' holds a '${' without a name and a '}'".formatted(shown(text)));
    }
    if (text.charAt(at) == '}') {
      at++;
      return variables.find(name).orElse("");
    }
    Optional<String> value = variables.find(name);
    if (text.charAt(at) == ':') {
      at++;
      value = value.filter(set -> !set.isEmpty());
    }
    char modifier = at < text.length() ? text.charAt(at++) : ' ';
    requireModifier(line, modifier);
    String word = words(true);
    if (at >= text.length()) {
      throw new BuildException(line, "'%s' holds a '${' without a '}'".formatted(shown(text)));
    }
    at++;
    return modified(name, value, modifier, word);
  }

  private String modified(String name, Optional<String> value, char modifier, String word) {
    return switch (modifier) {
      case '-' -> value.orElse(word);
      case '+' -> value.isPresent() ? word : "";
      case '?' ->
          value.orElseThrow(
              () -> new BuildException(line, "%s is not set: %s".formatted(name, word)));
      default -> throw new IllegalStateException("Unchecked modifier " + modifier);
    };
  }

  private String name() {
    int start = at;
    at = endOfName(text, start);
    return text.substring(start, at);
  }

  /** As a shell reads it: a run of digits or one special character is a name too. */
  static int endOfName(String text, int start) {
    int at = start;
    if (at < text.length() && SPECIAL.indexOf(text.charAt(at)) >= 0) {
      return at + 1;
    }
    boolean isNumber = at < text.length() && isDigit(text.charAt(at));
    while (at < text.length()
        && (isNumber ? isDigit(text.charAt(at)) : isNamePart(text.charAt(at)))) {
      at++;
    }
    return at;
  }

  static void requireModifier(int line, char modifier) {
    if (MODIFIERS.indexOf(modifier) < 0) {
      throw new BuildException(
          line,
          "'${NAME%s...}' is not known; only ':-', ':+' and ':?' are, with and without ':'"
              .formatted(modifier));
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNamePart(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  /** Enough of a text to find it again. */
  static String shown(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
  }
}
