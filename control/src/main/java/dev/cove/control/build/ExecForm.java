package dev.cove.control.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a JSON array of texts; whatever is none is a command for the shell. */
final class ExecForm {
  private static final String ESCAPED = "\"\\/bfnrt";
  private static final String MEANT = "\"\\/\b\f\n\r\t";

  private final String text;
  private int at;

  private ExecForm(String text) {
    this.text = text;
  }

  static Optional<List<String>> parse(String text) {
    String stripped = text.strip();
    if (!stripped.startsWith("[")) {
      return Optional.empty();
    }
    return new ExecForm(stripped).array();
  }

  private Optional<List<String>> array() {
    var values = new ArrayList<String>();
    at++;
    if (peek() == ']') {
      at++;
      return finished(values);
    }
    while (true) {
      if (peek() != '"') {
        return Optional.empty();
      }
      at++;
      var value = new StringBuilder();
      if (!string(value)) {
        return Optional.empty();
      }
      values.add(value.toString());
      char c = peek();
      at++;
      if (c == ']') {
        return finished(values);
      }
      if (c != ',') {
        return Optional.empty();
      }
    }
  }

  private Optional<List<String>> finished(List<String> values) {
    return at == text.length() ? Optional.of(List.copyOf(values)) : Optional.empty();
  }

  /** The next character that is no blank, or a zero byte at the end. */
  private char peek() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean string(StringBuilder value) {
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') {
        return true;
      }
      if (c < ' ' || (c == '\\' && !escaped(value))) {
        return false;
      }
      if (c != '\\') {
        value.append(c);
      }
    }
    return false;
  }

  private boolean escaped(StringBuilder value) {
    if (at >= text.length()) {
      return false;
    }
    char c = text.charAt(at++);
    int simple = ESCAPED.indexOf(c);
    if (simple >= 0) {
      value.append(MEANT.charAt(simple));
      return true;
    }
    if (c != 'u' || at + 4 > text.length()) {
      return false;
    }
    int code = 0;
    for (int digit = 0; digit < 4; digit++) {
      int part = Character.digit(text.charAt(at++), 16);
      if (part < 0) {
        return false;
      }
      code = code * 16 + part;
    }
    value.append((char) code);
    return true;
  }
}
