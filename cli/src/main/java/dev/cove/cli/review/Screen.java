package dev.cove.cli.review;

import dev.cove.review.text.DiffLine;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Draws a board: a list of files, what changed in one of them, and which keys there are. */
public final class Screen {
  private static final int LEAST_ROWS = 6;
  private static final int LEAST_COLUMNS = 24;

  /** From so many on the list and the text are seen at once. */
  private static final int BOTH = 76;

  private static final int MOST_OF_LIST = 44;
  private static final int MARKS = 6;
  private static final int NUMBER = 5;
  private static final int NOT_TEXT_ROWS = 3;

  private static final List<String> HELP =
      List.of(
          "up down j k       move              space b       a page on, a page back",
          "tab enter left    list and text     g G           the first, the last",
          "n p               next hunk, hunk before (and on to the next file)",
          "] [               next file, file before",
          "left right h l    scroll lines that are too long",
          "",
          "a r u             take, leave or decide later: in the list the file,",
          "                  on a heading the hunk, on a line the line",
          "A R U             the same for the whole file",
          "s                 side by side, or one below the other",
          "c                 what becomes of conflicts: stop, ours, theirs, markers",
          "x                 apply what is taken",
          "q                 leave; what was decided is remembered");

  private final UnaryOperator<String> printable;
  private final boolean colours;
  private int listTop;
  private int textTop;

  /**
   * @param printable makes a line of a file, bytes as characters, fit for a terminal
   */
  public Screen(UnaryOperator<String> printable, boolean colours) {
    this.printable = printable;
    this.colours = colours;
  }

  /** How many rows of a text are seen on a screen of so many. */
  public static int page(int rows) {
    return Math.max(1, rows - NOT_TEXT_ROWS);
  }

  /** Lines for all rows, each as wide as the screen. */
  public List<String> draw(Board board, int rows, int columns) {
    if (rows < LEAST_ROWS || columns < LEAST_COLUMNS) {
      return List.of(Columns.fit("The window is too small.", 0, columns));
    }
    var lines = new ArrayList<String>();
    lines.add(style("1", Columns.fit(title(board), 0, columns)));
    int height = page(rows);
    boolean both = columns >= BOTH;
    int listWidth = both ? Math.min(MOST_OF_LIST, columns * 2 / 5) : columns;
    int textWidth = both ? columns - listWidth - 1 : columns;
    boolean seesList = !board.help() && (both || !board.inText());
    boolean seesText = !board.help() && (both || board.inText());
    List<String> list = seesList ? list(board, height, listWidth) : List.of();
    List<String> text = seesText ? text(board, height, textWidth) : List.of();
    for (int i = 0; i < height; i++) {
      if (board.help()) {
        lines.add(Columns.fit(i < HELP.size() ? HELP.get(i) : "", 0, columns));
      } else {
        String left = seesList ? list.get(i) : "";
        lines.add(left + (both ? "|" : "") + (seesText ? text.get(i) : ""));
      }
    }
    lines.add(style("2", Columns.fit(about(board), 0, columns)));
    lines.add(Columns.fit(foot(board), 0, columns));
    return lines;
  }

  private static String title(Board board) {
    return "%s  %d files: %d taken, %d left, %d mixed, %d open  conflicts: %s"
        .formatted(
            board.title(),
            board.files().size(),
            board.count(Choice.TAKEN),
            board.count(Choice.LEFT),
            board.count(Choice.MIXED),
            board.count(Choice.OPEN),
            board.onConflict().name().toLowerCase(Locale.ROOT));
  }

  private static String about(Board board) {
    return "-- %c %s".formatted(board.current().letter(), board.current().name());
  }

  private static String foot(Board board) {
    if (!board.message().isEmpty()) {
      return board.message();
    }
    return board.inText()
        ? "? help  a take  r leave  u undecide  n/p hunk  A/R file  tab list  s side by side  x apply"
        : "? help  a take  r leave  u undecide  enter look  n/p hunk  s side by side  x apply  q quit";
  }

  private List<String> list(Board board, int height, int width) {
    listTop = visible(listTop, board.file(), height, board.files().size());
    var lines = new ArrayList<String>();
    for (int i = listTop; i < listTop + height; i++) {
      if (i >= board.files().size()) {
        lines.add(" ".repeat(width));
        continue;
      }
      FileReview file = board.files().get(i);
      boolean marked = !file.warnings().isEmpty();
      String line =
          "%c%c %c %s"
              .formatted(
                  file.choice().mark(),
                  marked ? '!' : ' ',
                  file.letter(),
                  Columns.fitPath(file.name(), Math.max(1, width - MARKS)));
      boolean here = i == board.file();
      lines.add(
          cursor(Columns.fit(line, 0, width), here, here && !board.inText(), marked ? "1;31" : ""));
    }
    return lines;
  }

  private List<String> text(Board board, int height, int width) {
    var lines = new ArrayList<String>();
    List<Row> rows = board.rows();
    textTop = visible(textTop, board.row(), height, rows.size());
    for (int i = textTop; i < Math.min(rows.size(), textTop + height); i++) {
      lines.add(row(board, rows.get(i), width, board.inText() && i == board.row()));
    }
    while (lines.size() < height) {
      lines.add(" ".repeat(width));
    }
    return lines;
  }

  /** The first row that is seen, so that the one with the cursor is. */
  private static int visible(int top, int at, int height, int count) {
    int first = Math.clamp(top, Math.max(0, at - height + 1), at);
    return Math.max(0, Math.min(first, Math.max(0, count - height)));
  }

  private String row(Board board, Row row, int width, boolean here) {
    char mark = mark(board.current(), row.edits());
    return switch (row) {
      case Row.Note(var text) -> cursor(Columns.fit("  " + text, 0, width), here, here, "33");
      case Row.Heading(var text, _) ->
          cursor(Columns.fit(mark + " " + text, 0, width), here, here, "36");
      case Row.Line(var line, _) -> {
        String body = body(line);
        yield cursor(
            mark + " " + number(line) + Columns.fit(body, board.column(), width - 2 - NUMBER),
            here,
            here,
            colour(line));
      }
      case Row.Pair(var before, var after, _) -> pair(board, before, after, mark, width, here);
    };
  }

  private String pair(
      Board board,
      Optional<DiffLine> before,
      Optional<DiffLine> after,
      char mark,
      int width,
      boolean here) {
    int half = (width - 3) / 2;
    return cursor(mark + " ", here, here, "")
        + half(board, before, half, here)
        + "|"
        + half(board, after, width - 3 - half, here);
  }

  private String half(Board board, Optional<DiffLine> line, int width, boolean here) {
    String body = line.map(this::body).orElse("");
    return cursor(
        Columns.fit(body, board.column(), width), here, here, line.map(Screen::colour).orElse(""));
  }

  private String body(DiffLine line) {
    String end = line.text().endsWith("\n") ? "" : "  (no newline at the end)";
    return line.sign().character() + printable.apply(line.text()) + end;
  }

  private static char mark(FileReview file, BitSet edits) {
    return edits.isEmpty() ? ' ' : file.choiceOf(edits).mark();
  }

  private static String number(DiffLine line) {
    int number = line.sign() == DiffLine.Sign.REMOVED ? line.number() : line.newNumber();
    return Columns.fit("%4d ".formatted(number), 0, NUMBER);
  }

  private static String colour(DiffLine line) {
    return switch (line.sign()) {
      case ADDED -> "32";
      case REMOVED -> "31";
      case KEPT -> "";
    };
  }

  /** The cursor is shown by the terminal's reverse, which is there without colours too. */
  private String cursor(String text, boolean here, boolean focused, String colour) {
    if (focused) {
      return "\u001b[7m" + text + "\u001b[0m";
    }
    return style(here ? "1" : colour, text);
  }

  private String style(String code, String text) {
    return colours && !code.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
