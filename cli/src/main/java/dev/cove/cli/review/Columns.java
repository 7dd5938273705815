package dev.cove.cli.review;

/** Text in the columns of a terminal, where some characters take two and some none. */
final class Columns {
  private static final int TAB = 4;

  /** First and last of the ranges whose characters take two columns on nearly every terminal. */
  private static final int[] WIDE = {
    0x1100, 0x115f, 0x231a, 0x231b, 0x23e9, 0x23ec, 0x2614, 0x2615, 0x2648, 0x2653, 0x26aa, 0x26ab,
    0x26bd, 0x26be, 0x2705, 0x2705, 0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c, 0x2753, 0x2755,
    0x2757, 0x2757, 0x2795, 0x2797, 0x2b1b, 0x2b1c, 0x2b50, 0x2b50, 0x2b55, 0x2b55, 0x2e80, 0x303e,
    0x3041, 0x33ff, 0x3400, 0x4dbf, 0x4e00, 0xa4cf, 0xa960, 0xa97f, 0xac00, 0xd7a3, 0xf900, 0xfaff,
    0xfe30, 0xfe6f, 0xff00, 0xff60, 0xffe0, 0xffe6, 0x1f004, 0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e,
    0x1f18e, 0x1f191, 0x1f19a, 0x1f200, 0x1f320, 0x1f32d, 0x1f64f, 0x1f680, 0x1f6ff, 0x1f7e0,
    0x1f7eb, 0x1f90c, 0x1faff, 0x20000, 0x3fffd
  };

  private Columns() {}

  static int of(int point) {
    int type = Character.getType(point);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    for (int i = 0; i < WIDE.length; i += 2) {
      if (point >= WIDE[i] && point <= WIDE[i + 1]) {
        return 2;
      }
    }
    return 1;
  }

  /** Exactly so many columns of the text, from one on, with blanks where it ends or is cut. */
  static String fit(String text, int from, int width) {
    var out = new StringBuilder(width);
    int at = 0;
    int end = from + width;
    for (int i = 0; i < text.length() && at < end; ) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      int columns = point == '\t' ? TAB - at % TAB : of(point);
      if (point != '\t' && at >= from && at + columns <= end) {
        if (columns > 0 || !out.isEmpty()) {
          out.appendCodePoint(point);
        }
      } else {
        out.repeat(' ', Math.max(0, Math.min(at + columns, end) - Math.max(at, from)));
      }
      at += columns;
    }
    return out.repeat(' ', Math.max(0, end - Math.max(at, from))).toString();
  }

  /** The end of a path where all of it is too long: its name tells more than where it begins. */
  static String fitPath(String path, int width) {
    int columns = path.codePoints().map(Columns::of).sum();
    return columns <= width || width < 4
        ? fit(path, 0, width)
        : fit(".." + fit(path, columns - width + 2, width - 2), 0, width);
  }
}
