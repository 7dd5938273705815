package dev.cove.review.text;

import java.util.ArrayList;
import java.util.List;

/** The lines in which two versions differ, with some around them, as {@code diff -u} shows them. */
public final class UnifiedDiff {
  private static final String NO_END = "\\ No newline at end of file\n";

  private final List<String> before;
  private final List<String> after;
  private final int context;
  private final List<String> out = new ArrayList<>();

  /** How many lines are new, and how many are gone. */
  public record Stat(int added, int removed) {}

  private UnifiedDiff(Lines before, Lines after, int context) {
    this.before = before.all();
    this.after = after.all();
    this.context = context;
  }

  /** Hunks without a heading; empty where nothing differs. Bytes are as in {@link Lines}. */
  public static List<String> hunks(Lines before, Lines after, int context) {
    return new UnifiedDiff(before, after, context).write(LineEdits.between(before, after));
  }

  public static Stat stat(Lines before, Lines after) {
    List<Edit> edits = LineEdits.between(before, after);
    return new Stat(
        edits.stream().mapToInt(edit -> edit.newEnd() - edit.newStart()).sum(),
        edits.stream().mapToInt(edit -> edit.end() - edit.start()).sum());
  }

  private List<String> write(List<Edit> edits) {
    for (int from = 0; from < edits.size(); ) {
      int to = from + 1;
      while (to < edits.size() && edits.get(to).start() - edits.get(to - 1).end() <= 2 * context) {
        to++;
      }
      hunk(edits.subList(from, to));
      from = to;
    }
    return out;
  }

  private void hunk(List<Edit> edits) {
    Edit first = edits.getFirst();
    Edit last = edits.getLast();
    int lead = Math.min(context, first.start());
    int trail = Math.min(context, before.size() - last.end());
    int start = first.start() - lead;
    int newStart = first.newStart() - lead;
    out.add(
        "@@ -%s +%s @@\n"
            .formatted(
                range(start, last.end() + trail - start),
                range(newStart, last.newEnd() + trail - newStart)));
    int at = start;
    for (Edit edit : edits) {
      lines(' ', before.subList(at, edit.start()));
      lines('-', before.subList(edit.start(), edit.end()));
      lines('+', after.subList(edit.newStart(), edit.newEnd()));
      at = edit.end();
    }
    lines(' ', before.subList(at, at + trail));
  }

  /** An empty range is named by the line before it. */
  private static String range(int start, int count) {
    int named = count == 0 ? start : start + 1;
    return count == 1 ? Integer.toString(named) : named + "," + count;
  }

  private void lines(char sign, List<String> lines) {
    for (String line : lines) {
      if (line.endsWith("\n")) {
        out.add(sign + line);
      } else {
        out.add(sign + line + "\n");
        out.add(NO_END);
      }
    }
  }
}
