package dev.cove.cli.review;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/** All changes under review, where the reader is, and what each key does. */
public final class Board {
  private static final int SIDE_STEP = 16;

  /** What is to happen after a key. */
  public enum Outcome {
    GOES_ON,
    DECIDED,
    APPLY,
    QUIT
  }

  /** What becomes of files that changed on the host as well and cannot be merged. */
  public enum OnConflict {
    STOP,
    OURS,
    THEIRS,
    MARKERS;

    OnConflict next() {
      return switch (this) {
        case STOP -> OURS;
        case OURS -> THEIRS;
        case THEIRS -> MARKERS;
        case MARKERS -> STOP;
      };
    }
  }

  private final String title;
  private final List<FileReview> files;
  private int file;
  private boolean inText;
  private int row;
  private int column;
  private boolean sideBySide;
  private boolean help;
  private boolean asking;
  private OnConflict onConflict = OnConflict.STOP;
  private String message = "";

  /**
   * @param files at least one
   */
  public Board(String title, List<FileReview> files) {
    this.title = title;
    this.files = List.copyOf(files);
  }

  /** Says something until the next key. */
  public void say(String text) {
    message = text;
  }

  public OnConflict onConflict() {
    return onConflict;
  }

  public List<FileReview> files() {
    return files;
  }

  String title() {
    return title;
  }

  int file() {
    return file;
  }

  boolean inText() {
    return inText;
  }

  int row() {
    return row;
  }

  int column() {
    return column;
  }

  boolean sideBySide() {
    return sideBySide;
  }

  boolean help() {
    return help;
  }

  String message() {
    return message;
  }

  FileReview current() {
    return files.get(file);
  }

  List<Row> rows() {
    return Row.of(current(), sideBySide);
  }

  long count(Choice choice) {
    return files.stream().filter(one -> one.choice() == choice).count();
  }

  /**
   * @param page how many rows are seen at once
   */
  public Outcome press(Key key, int page) {
    message = "";
    if (asking) {
      asking = false;
      return key.name().equals("y") ? Outcome.APPLY : Outcome.GOES_ON;
    }
    if (help) {
      help = false;
      return Outcome.GOES_ON;
    }
    return switch (key.name()) {
      case "q", "interrupt" -> Outcome.QUIT;
      case "x" -> ask();
      case "a", "r", "u", "A", "R", "U" -> decide(key.name());
      default -> {
        move(key.name(), Math.max(1, page));
        yield Outcome.GOES_ON;
      }
    };
  }

  private Outcome ask() {
    long wanted = files.stream().filter(FileReview::isWanted).count();
    if (wanted == 0) {
      message = "Nothing is taken yet: a takes what the cursor is on.";
      return Outcome.GOES_ON;
    }
    asking = true;
    message =
        "Apply %d of %d files to the project? y applies, any other key goes back."
            .formatted(wanted, files.size());
    return Outcome.GOES_ON;
  }

  private Outcome decide(String key) {
    Choice choice =
        switch (key) {
          case "a", "A" -> Choice.TAKEN;
          case "r", "R" -> Choice.LEFT;
          default -> Choice.OPEN;
        };
    boolean wholeFile = !inText || Character.isUpperCase(key.charAt(0));
    if (wholeFile) {
      current().decide(choice);
      nextOpen(choice);
      return Outcome.DECIDED;
    }
    BitSet edits = rows().get(row).edits();
    if (edits.isEmpty()) {
      message = "Nothing changed on this line. A and R are for the whole file.";
      return Outcome.GOES_ON;
    }
    current().decide(edits, choice);
    row = next(rows().get(row) instanceof Row.Heading);
    return Outcome.DECIDED;
  }

  /** After a decision the next file that waits for one; whoever takes one back stays. */
  private void nextOpen(Choice made) {
    if (made == Choice.OPEN) {
      return;
    }
    IntStream.concat(IntStream.range(file + 1, files.size()), IntStream.range(0, file))
        .filter(one -> files.get(one).choice() == Choice.OPEN)
        .findFirst()
        .ifPresentOrElse(
            this::select, () -> message = "All files are decided: x applies what is taken.");
  }

  private void select(int index) {
    file = Math.clamp(index, 0, files.size() - 1);
    row = 0;
    column = 0;
  }

  /** The next hunk after a hunk, the next edit after an edit; the same row after the last. */
  private int next(boolean hunk) {
    List<Row> rows = rows();
    return IntStream.range(row + 1, rows.size())
        .filter(at -> hunk ? rows.get(at) instanceof Row.Heading : !rows.get(at).edits().isEmpty())
        .findFirst()
        .orElse(row);
  }

  private void move(String key, int page) {
    switch (key) {
      case "down", "j" -> step(1);
      case "up", "k" -> step(-1);
      case "pagedown" -> step(page);
      case "pageup", "b" -> step(-page);
      case "home", "g" -> step(Integer.MIN_VALUE / 2);
      case "end", "G" -> step(Integer.MAX_VALUE / 2);
      case "tab" -> inText = !inText;
      case "enter", "right", "l" -> {
        column += inText && !key.equals("enter") ? SIDE_STEP : 0;
        inText = true;
      }
      case "left", "h" -> {
        inText = inText && column > 0;
        column = Math.max(0, column - SIDE_STEP);
      }
      case "escape" -> inText = false;
      case "n" -> hunk(1);
      case "p" -> hunk(-1);
      case "]" -> select(file + 1);
      case "[" -> select(file - 1);
      case "s" -> {
        sideBySide = !sideBySide;
        row = 0;
      }
      case "c" -> onConflict = onConflict.next();
      case "?" -> help = true;
      default -> message = "That key does nothing here; ? shows those that do.";
    }
  }

  private void step(int by) {
    if (inText) {
      row = Math.clamp((long) row + by, 0, Math.max(0, rows().size() - 1));
    } else {
      select(Math.clamp((long) file + by, 0, files.size() - 1));
    }
  }

  /** To the next hunk, and beyond the last to the next file. */
  private void hunk(int direction) {
    List<Row> rows = rows();
    int from = inText ? row + direction : row;
    inText = true;
    for (int at = from; at >= 0 && at < rows.size(); at += direction) {
      if (rows.get(at) instanceof Row.Heading) {
        row = at;
        return;
      }
    }
    select(file + direction);
  }
}
