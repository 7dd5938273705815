package dev.cove.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Columns that line up; the last one is not padded. */
final class Table {
  private static final String BOLD = "\u001b[1m";
  private static final String PLAIN = "\u001b[0m";
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  Table(String... headings) {
    row(headings);
  }

  Table row(String... cells) {
    rows.add(List.of(cells).stream().map(Table::printable).toList());
    return this;
  }

  void print(PrintStream out, boolean colours) {
    int[] widths = widths();
    for (int i = 0; i < rows.size(); i++) {
      String line = line(rows.get(i), widths);
      out.print((i == 0 && colours ? BOLD + line + PLAIN : line) + "\n");
    }
    out.flush();
  }

  private int[] widths() {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
  }

  private static String line(List<String> row, int[] widths) {
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
