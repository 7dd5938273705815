package dev.cove.review.text;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** How one version becomes another, in pieces that can be taken or left one by one. */
public final class Hunks {
  private final Lines before;
  private final Lines after;
  private final List<Edit> edits;
  private final List<Hunk> all = new ArrayList<>();

  private Hunks(Lines before, Lines after, List<Edit> edits) {
    this.before = before;
    this.after = after;
    this.edits = edits;
  }

  /**
   * @param context how many lines are shown around those that changed
   */
  public static Hunks between(Lines before, Lines after, int context) {
    var hunks = new Hunks(before, after, LineEdits.between(before, after));
    hunks.gather(context);
    return hunks;
  }

  /** All of the version after. */
  public Lines after() {
    return after;
  }

  /** In the order of the text; empty where nothing differs. */
  public List<Hunk> all() {
    return List.copyOf(all);
  }

  /**
   * The version before with just those edits that are taken. A line that was to go and is left
   * stays before those that came in its place.
   */
  public Lines taking(Predicate<DiffLine> taken) {
    var lines = new ArrayList<String>();
    int at = 0;
    for (Edit edit : edits) {
      lines.addAll(before.all().subList(at, edit.start()));
      removed(edit).stream().filter(taken.negate()).map(DiffLine::text).forEach(lines::add);
      added(edit).stream().filter(taken).map(DiffLine::text).forEach(lines::add);
      at = edit.end();
    }
    lines.addAll(before.all().subList(at, before.count()));
    for (int i = 0; i < lines.size() - 1; i++) { // the last of a version may be the last no more
      if (!lines.get(i).endsWith("\n")) {
        lines.set(i, lines.get(i) + "\n");
      }
    }
    return new Lines(lines);
  }

  private void gather(int context) {
    for (int from = 0; from < edits.size(); ) {
      int to = from + 1;
      while (to < edits.size() && edits.get(to).start() - edits.get(to - 1).end() <= 2 * context) {
        to++;
      }
      all.add(hunk(edits.subList(from, to), context));
      from = to;
    }
  }

  private Hunk hunk(List<Edit> together, int context) {
    Edit first = together.getFirst();
    Edit last = together.getLast();
    int lead = Math.min(context, first.start());
    int trail = Math.min(context, before.count() - last.end());
    int start = first.start() - lead;
    int newStart = first.newStart() - lead;
    String heading =
        "@@ -%s +%s @@"
            .formatted(
                range(start, last.end() + trail - start),
                range(newStart, last.newEnd() + trail - newStart));
    var lines = new ArrayList<DiffLine>();
    int at = start;
    int newAt = newStart;
    for (Edit edit : together) {
      lines.addAll(kept(at, newAt, edit.start() - at));
      lines.addAll(removed(edit));
      lines.addAll(added(edit));
      at = edit.end();
      newAt = edit.newEnd();
    }
    lines.addAll(kept(at, newAt, trail));
    return new Hunk(heading, lines);
  }

  /** An empty range is named by the line before it. */
  private static String range(int start, int count) {
    int named = count == 0 ? start : start + 1;
    return count == 1 ? Integer.toString(named) : named + "," + count;
  }

  private List<DiffLine> kept(int start, int newStart, int count) {
    var lines = new ArrayList<DiffLine>(count);
    for (int i = 0; i < count; i++) {
      String text = before.all().get(start + i);
      lines.add(new DiffLine(DiffLine.Sign.KEPT, text, start + i + 1, newStart + i + 1));
    }
    return lines;
  }

  private List<DiffLine> removed(Edit edit) {
    var lines = new ArrayList<DiffLine>(edit.end() - edit.start());
    for (int i = edit.start(); i < edit.end(); i++) {
      String text = before.all().get(i);
      lines.add(new DiffLine(DiffLine.Sign.REMOVED, text, i + 1, edit.newStart() + 1));
    }
    return lines;
  }

  private List<DiffLine> added(Edit edit) {
    var lines = new ArrayList<DiffLine>(edit.newEnd() - edit.newStart());
    for (int i = edit.newStart(); i < edit.newEnd(); i++) {
      String text = after.all().get(i);
      lines.add(new DiffLine(DiffLine.Sign.ADDED, text, edit.end() + 1, i + 1));
    }
    return lines;
  }
}
