package dev.cove.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Columns that line up; the last one is not padded. Rows that come after a print line up with those
 * before, as far as they fit, and have no heading again.
 */
final class Table {
  private static final String BOLD = "\u001b[1m";
  private static final String PLAIN = "\u001b[0m";
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();
  private final int[] widths;
  private boolean headed;

  Table(String... headings) {
    widths = new int[headings.length];
    row(headings);
  }

  Table row(String... cells) {
    rows.add(List.of(cells).stream().map(Table::printable).toList());
    return this;
  }

  void print(PrintStream out, boolean colours) {
    widen();
    for (List<String> row : rows) {
      String line = line(row);
      out.print((!headed && colours ? BOLD + line + PLAIN : line) + "\n");
      headed = true;
    }
    out.flush();
    rows.clear();
  }

  private void widen() {
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
  }

  private String line(List<String> row) {
    var line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      String cell = row.get(i);
      line.append(cell);
      if (i < row.size() - 1) {
        line.append(" ".repeat(widths[i] - cell.length())).append(GAP);
      }
    }
    return line.toString().stripTrailing();
  }

  // Names and command lines come from elsewhere; they must not drive the reader's terminal.
  static String printable(String text) {
    var result = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> result.appendCodePoint(Character.isISOControl(c) ? '\ufffd' : c));
    return result.toString();
  }
}
