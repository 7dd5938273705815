package dev.cove.egress.secret;

import java.nio.charset.StandardCharsets;

/** A field of a body, whose placeholder gives way to the secret. */
final class BodyField {
  private final String name;
  private final String placeholder;
  private final String value;

  BodyField(String name, String placeholder, String value) {
    this.name = name;
    this.placeholder = placeholder;
    this.value = value;
  }

  /** In a form as browsers send it. */
  String inForm(String body) {
    return Parameters.swapped(body, name, placeholder, value);
  }

  /**
   * In the outermost object of a JSON text, whatever its white space; what is no JSON stays as it
   * is as soon as it stops making sense. Names and values count as they are written: one that is
   * spelled with escapes is another.
   */
  String inJson(String body) {
    var swapped = new StringBuilder();
    int depth = 0;
    boolean key = false;
    boolean ours = false;
    int copied = 0;
    for (int i = 0; i < body.length(); i++) {
      switch (body.charAt(i)) {
        case '{' -> {
          depth++;
          key = true;
        }
        case '[' -> {
          depth++;
          key = false;
        }
        case '}', ']' -> depth--;
        case ',' -> key = true;
        case ':' -> key = false;
        case '"' -> {
          int end = endOfString(body, i);
          if (end < 0) {
            return body;
          }
          String text = body.substring(i + 1, end);
          if (depth == 1 && key) {
            ours = text.equals(name);
          } else if (depth == 1 && ours && text.equals(placeholder)) {
            swapped.append(body, copied, i + 1).append(Spelling.inJson(value));
            copied = end;
          }
          i = end;
        }
        default -> {
          // Numbers, words and white space.
        }
      }
    }
    return body.stripLeading().startsWith("{")
        ? swapped.append(body, copied, body.length()).toString()
        : body;
  }

  private static int endOfString(String body, int begin) {
    for (int i = begin + 1; i < body.length(); i++) {
      char c = body.charAt(i);
      if (c == '"') {
        return i;
      }
      if (c == '\\') {
        i++;
      }
    }
    return -1;
  }

  /** By the type that the request names for it. */
  byte[] in(byte[] body, String contentType) {
    String text = new String(body, StandardCharsets.ISO_8859_1);
    String swapped =
        contentType.startsWith("application/x-www-form-urlencoded") ? inForm(text) : inJson(text);
    return swapped.getBytes(StandardCharsets.ISO_8859_1);
  }
}
