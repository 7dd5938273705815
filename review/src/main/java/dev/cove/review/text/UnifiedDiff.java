package dev.cove.review.text;

import java.util.ArrayList;
import java.util.List;

/** The lines in which two versions differ, with some around them, as {@code diff -u} shows them. */
public final class UnifiedDiff {
  private static final String NO_END = "\\ No newline at end of file\n";

  /** How many lines are new, and how many are gone. */
  public record Stat(int added, int removed) {}

  private UnifiedDiff() {}

  /** Hunks without a heading; empty where nothing differs. Bytes are as in {@link Lines}. */
  public static List<String> hunks(Lines before, Lines after, int context) {
    var out = new ArrayList<String>();
    for (Hunk hunk : Hunks.between(before, after, context).all()) {
      out.add(hunk.heading() + "\n");
      for (DiffLine line : hunk.lines()) {
        if (line.text().endsWith("\n")) {
          out.add(line.sign().character() + line.text());
        } else {
          out.add(line.sign().character() + line.text() + "\n");
          out.add(NO_END);
        }
      }
    }
    return out;
  }

  public static Stat stat(Lines before, Lines after) {
    List<Edit> edits = LineEdits.between(before, after);
    return new Stat(
        edits.stream().mapToInt(edit -> edit.newEnd() - edit.newStart()).sum(),
        edits.stream().mapToInt(edit -> edit.end() - edit.start()).sum());
  }
}
