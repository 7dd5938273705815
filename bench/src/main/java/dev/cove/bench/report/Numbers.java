package dev.cove.bench.report;

import java.util.Locale;

/** Numbers as people read them: as many digits as carry meaning. */
final class Numbers {
  private Numbers() {}

  static String millis(double millis) {
    return plain(millis) + " ms";
  }

  static String plain(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    double size = Math.abs(value);
    if (size == Math.rint(size) && size < 1e15) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, size < 10 ? "%.2f" : size < 100 ? "%.1f" : "%,.0f", value);
  }
}
