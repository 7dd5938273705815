package dev.cove.review.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A text as lines, each with the line feed at its end, which only the last may lack.
 *
 * @param all each character stands for one byte (ISO 8859-1), so that any bytes can be lines
 */
public record Lines(List<String> all) {
  /** So far git looks for a zero, too. */
  private static final int LOOKED_AT = 8000;

  public Lines {
    all = List.copyOf(all);
    for (int i = 0; i < all.size(); i++) {
      int end = all.get(i).indexOf('\n');
      boolean whole = end >= 0 && end == all.get(i).length() - 1;
      boolean last = i == all.size() - 1 && end < 0 && !all.get(i).isEmpty();
      if (!whole && !last) {
        throw new IllegalArgumentException("Line %d is not one line".formatted(i + 1));
      }
    }
  }

  public static Lines of(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    var lines = new ArrayList<String>();
    for (int start = 0; start < text.length(); ) {
      int end = text.indexOf('\n', start) + 1;
      end = end == 0 ? text.length() : end;
      lines.add(text.substring(start, end));
      start = end;
    }
    return new Lines(lines);
  }

  public static Lines ofText(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  public byte[] bytes() {
    return String.join("", all).getBytes(StandardCharsets.ISO_8859_1);
  }

  public int count() {
    return all.size();
  }

  /** Whether content that begins so is no text. */
  public static boolean isBinary(byte[] beginning) {
    for (int i = 0; i < Math.min(beginning.length, LOOKED_AT); i++) {
      if (beginning[i] == 0) {
        return true;
      }
    }
    return false;
  }
}
