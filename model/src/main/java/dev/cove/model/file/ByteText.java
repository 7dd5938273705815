package dev.cove.model.file;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Names and link targets, which are bytes and mostly UTF-8.
 *
 * <p>A byte that is part of no character becomes a lone surrogate from U+DC80 on, which no valid
 * text has, so that every name can be a string and become the same bytes again.
 */
public final class ByteText {
  private static final char FIRST_LONE_BYTE = '\udc80';
  private static final char LAST_LONE_BYTE = '\udcff';
  private static final int LONE = 0xdc00;

  private ByteText() {}

  public static String decode(byte[] bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length + 1);
    while (true) {
      CoderResult result = decoder.decode(in, out, true);
      if (result.isUnderflow()) {
        return out.flip().toString();
      }
      for (int i = 0; i < result.length(); i++) {
        out.put((char) (LONE + Byte.toUnsignedInt(in.get())));
      }
      decoder.reset();
    }
  }

  public static byte[] encode(String text) {
    var out = new ByteArrayOutputStream(text.length());
    text.codePoints()
        .forEach(point -> {
          if (isLoneByte(point)) {
            out.write(point - LONE);
          } else {
            out.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
          }
        });
    return out.toByteArray();
  }

  private static boolean isLoneByte(int point) {
    return point >= FIRST_LONE_BYTE && point <= LAST_LONE_BYTE;
  }

  /**
   * As it may be printed on a terminal: nothing in it moves the cursor, changes colours, ends the
   * line, or turns the direction of what follows.
   */
  public static String shown(String text) {
    var out = new StringBuilder(text.length());
    text.codePoints().forEach(point -> show(out, point));
    return out.toString();
  }

  /**
   * Takes back {@link #shown}.
   *
   * @throws IllegalArgumentException where nothing shows like that
   */
  public static String parse(String shown) {
    var out = new StringBuilder(shown.length());
    for (int i = 0; i < shown.length(); i++) {
      if (shown.charAt(i) != '\\') {
        out.append(shown.charAt(i));
        continue;
      }
      i = unescape(shown, i + 1, out);
    }
    return out.toString();
  }

  /** Gives back where the escape has its last character. */
  private static int unescape(String shown, int at, StringBuilder out) {
    char kind = at < shown.length() ? shown.charAt(at) : 0;
    int end = kind == 'u' ? shown.indexOf('}', at) : at + 2;
    try {
      switch (kind) {
        case 'n' -> out.append('\n');
        case 't' -> out.append('\t');
        case '\\' -> out.append('\\');
        case 'x' -> out.append((char) (LONE + Integer.parseInt(shown, at + 1, at + 3, 16)));
        case 'u' -> out.appendCodePoint(Integer.parseInt(shown, at + 2, end, 16));
        default -> throw new IllegalArgumentException("no escape");
      }
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("A name has a backslash that begins no escape", e);
    }
    return kind == 'x' || kind == 'u' ? end : at;
  }

  /** Whether all of it was UTF-8. */
  public static boolean isUnicode(String text) {
    return text.codePoints().noneMatch(ByteText::isLoneByte);
  }

  /** Whether a name shows as it is. */
  public static boolean isPlain(String text) {
    return shown(text).equals(text);
  }

  private static void show(StringBuilder out, int point) {
    if (isLoneByte(point)) {
      out.append("\\x%02x".formatted(point - LONE));
    } else if (point == '\n') {
      out.append("\\n");
    } else if (point == '\t') {
      out.append("\\t");
    } else if (point == '\\') {
      out.append("\\\\");
    } else if (isUnseen(point)) {
      out.append("\\u{%x}".formatted(point));
    } else {
      out.appendCodePoint(point);
    }
  }

  private static boolean isUnseen(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          true;
      default -> false;
    };
  }
}
