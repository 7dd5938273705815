package dev.cove.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * As much of TOML as settings need: tables, and keys whose values are strings, whole numbers,
 * decimals, true, false, or lists of strings. What it does not know it refuses, with the line.
 *
 * <p>A library would read all of TOML and cost every start of the command line its loading.
 */
final class Toml {
  private static final int MOST = 1 << 20;
  private static final Pattern TABLE = Pattern.compile("\\[\\s*([A-Za-z0-9_-]+)\\s*\\]");
  private static final Pattern KEY = Pattern.compile("([A-Za-z0-9_-]+)\\s*=\\s*");
  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]{1,15}(\\.[0-9]{1,9})?");

  /** A value, and where it stands. */
  record Value(Object value, int line) {}

  private final String text;
  private int at;
  private int line = 1;

  private Toml(String text) {
    this.text = text;
  }

  /** Something that stands in the file and cannot be. */
  static final class Fault extends RuntimeException {
    private final int line;
    private final String sentence;

    Fault(int line, String sentence) {
      super("line %d: %s".formatted(line, sentence));
      this.line = line;
      this.sentence = sentence;
    }

    String sentence() {
      return sentence;
    }

    int line() {
      return line;
    }
  }

  /** Values by {@code table.key}; before the first table, by key alone. */
  static Map<String, Value> parse(String text) {
    if (text.length() > MOST) {
      throw new Fault(1, "the file is larger than 1 MiB");
    }
    return new Toml(text).read();
  }

  private Map<String, Value> read() {
    Map<String, Value> values = new LinkedHashMap<>();
    String table = "";
    for (skipBlank(); at < text.length(); skipBlank()) {
      if (text.charAt(at) == '[') {
        Matcher matcher = match(TABLE, "a table is written [name]");
        table = matcher.group(1) + ".";
        endOfLine();
      } else {
        Matcher matcher = match(KEY, "a line is key = value");
        String key = table + matcher.group(1);
        int where = line;
        if (values.putIfAbsent(key, new Value(value(key), where)) != null) {
          throw new Fault(where, "'%s' is said twice".formatted(key));
        }
        endOfLine();
      }
    }
    return values;
  }

  private Matcher match(Pattern pattern, String expected) {
    Matcher matcher = pattern.matcher(text).region(at, text.length());
    if (!matcher.lookingAt()) {
      throw new Fault(line, expected);
    }
    at = matcher.end();
    return matcher;
  }

  private Object value(String key) {
    char first = at < text.length() ? text.charAt(at) : '\n';
    if (first == '"' || first == '\'') {
      return string(key);
    }
    if (first == '[') {
      return list(key);
    }
    int end = at;
    while (end < text.length() && " \t\r\n#,]".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    String word = text.substring(at, end);
    at = end;
    if (word.equals("true") || word.equals("false")) {
      return word.equals("true");
    }
    if (NUMBER.matcher(word).matches()) {
      return Double.valueOf(word);
    }
    throw new Fault(
        line,
        "the value of '%s' is no string in quotes, number, true, false or list of strings"
            .formatted(key));
  }

  private String string(String key) {
    char quote = text.charAt(at++);
    var out = new StringBuilder();
    while (at < text.length() && text.charAt(at) != quote && text.charAt(at) != '\n') {
      char c = text.charAt(at++);
      out.append(c == '\\' && quote == '"' ? escaped(key) : c);
    }
    if (at >= text.length() || text.charAt(at) != quote) {
      throw new Fault(line, "the string of '%s' has no end on its line".formatted(key));
    }
    at++;
    return out.toString();
  }

  private char escaped(String key) {
    char c = at < text.length() ? text.charAt(at++) : '\n';
    return switch (c) {
      case '"', '\\' -> c;
      case 'n' -> '\n';
      case 't' -> '\t';
      default ->
          throw new Fault(
              line, "'%s' has an escape that is none of \\\" \\\\ \\n \\t".formatted(key));
    };
  }

  private List<String> list(String key) {
    at++;
    var items = new ArrayList<String>();
    while (true) {
      skipBlank();
      if (at < text.length() && text.charAt(at) == ']') {
        at++;
        return List.copyOf(items);
      }
      if (at >= text.length() || "\"'".indexOf(text.charAt(at)) < 0) {
        throw new Fault(line, "the list of '%s' has more than strings in quotes".formatted(key));
      }
      items.add(string(key));
      skipBlank();
      if (at < text.length() && text.charAt(at) == ',') {
        at++;
      } else if (at >= text.length() || text.charAt(at) != ']') {
        throw new Fault(line, "the list of '%s' lacks a comma or its end".formatted(key));
      }
    }
  }

  /** Blanks, line ends and comments. */
  private void skipBlank() {
    for (; at < text.length() && " \t\r\n#".indexOf(text.charAt(at)) >= 0; at++) {
      if (text.charAt(at) == '#') {
        skipComment();
        if (at >= text.length()) {
          return;
        }
      }
      if (text.charAt(at) == '\n') {
        line++;
      }
    }
  }

  private void skipComment() {
    while (at < text.length() && text.charAt(at) != '\n') {
      at++;
    }
  }

  private void endOfLine() {
    while (at < text.length() && " \t\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (at < text.length() && text.charAt(at) == '#') {
      skipComment();
    }
    if (at < text.length() && text.charAt(at) != '\n') {
      throw new Fault(line, "there is something after the value");
    }
  }
}
