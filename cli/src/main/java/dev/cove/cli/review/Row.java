package dev.cove.cli.review;

import dev.cove.review.text.DiffLine;
import dev.cove.review.text.Hunk;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** One line of what is shown of a file, with the edits that are decided about when it is chosen. */
sealed interface Row {
  BitSet edits();

  /** Something that is said about the file. */
  record Note(String text) implements Row {
    @Override
    public BitSet edits() {
      return new BitSet();
    }
  }

  record Heading(String text, BitSet edits) implements Row {}

  /** One line, as a unified diff has it. */
  record Line(DiffLine line, BitSet edits) implements Row {}

  /** What was and what is, side by side. */
  record Pair(Optional<DiffLine> before, Optional<DiffLine> after, BitSet edits) implements Row {}

  static List<Row> of(FileReview file, boolean sideBySide) {
    var rows = new ArrayList<Row>();
    file.warnings().forEach(warning -> rows.add(new Note("! " + warning)));
    switch (file.content()) {
      case Content.Unreadable(var why, _) ->
          rows.add(new Note("It " + why + ": take it or leave it whole."));
      case Content.Text text -> {
        List<Hunk> hunks = text.hunks().all();
        if (hunks.isEmpty()) {
          rows.add(new Note("Its lines are the same; take it or leave it whole."));
        }
        int edit = 0;
        for (int i = 0; i < hunks.size(); i++) {
          edit = hunk(hunks.get(i), i + 1, edit, sideBySide, rows);
        }
      }
    }
    return rows;
  }

  private static int hunk(Hunk hunk, int number, int first, boolean sideBySide, List<Row> rows) {
    int heading = rows.size();
    int edit = first;
    if (sideBySide) {
      edit = pairs(hunk, first, rows);
    } else {
      for (DiffLine line : hunk.lines()) {
        rows.add(new Line(line, line.isEdit() ? bits(edit++) : new BitSet()));
      }
    }
    var all = new BitSet();
    all.set(first, edit);
    rows.add(heading, new Heading(hunk.heading() + " hunk " + number, all));
    return edit;
  }

  private static int pairs(Hunk hunk, int first, List<Row> rows) {
    List<DiffLine> lines = hunk.lines();
    int edit = first;
    for (int i = 0; i < lines.size(); ) {
      if (!lines.get(i).isEdit()) {
        rows.add(new Pair(Optional.of(lines.get(i)), Optional.of(lines.get(i)), new BitSet()));
        i++;
        continue;
      }
      int added = i;
      while (added < lines.size() && lines.get(added).sign() == DiffLine.Sign.REMOVED) {
        added++;
      }
      int end = added;
      while (end < lines.size() && lines.get(end).sign() == DiffLine.Sign.ADDED) {
        end++;
      }
      int removed = added - i;
      for (int pair = 0; pair < Math.max(removed, end - added); pair++) {
        var edits = new BitSet();
        Optional<DiffLine> before = Optional.empty();
        Optional<DiffLine> after = Optional.empty();
        if (pair < removed) {
          before = Optional.of(lines.get(i + pair));
          edits.set(edit + pair);
        }
        if (pair < end - added) {
          after = Optional.of(lines.get(added + pair));
          edits.set(edit + removed + pair);
        }
        rows.add(new Pair(before, after, edits));
      }
      edit += end - i;
      i = end;
    }
    return edit;
  }

  private static BitSet bits(int only) {
    var bits = new BitSet();
    bits.set(only);
    return bits;
  }
}
