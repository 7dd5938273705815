package dev.cove.review.text;

import com.github.difflib.algorithm.Change;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * How one version becomes another, in few edits.
 *
 * <p>Lines that only one of the two has are edits in any case, so the search is made among the
 * others. It takes time in proportion to lines times differences, and whoever wrote the text may
 * want that to be long; beyond a limit everything between the first difference and the last is one
 * edit, which is right and says little.
 */
final class LineEdits {
  private static final long MOST_PAIRS = 50_000_000;

  private final List<String> before;
  private final List<String> after;

  private LineEdits(List<String> before, List<String> after) {
    this.before = before;
    this.after = after;
  }

  static List<Edit> between(Lines before, Lines after) {
    return new LineEdits(before.all(), after.all()).find();
  }

  private List<Edit> find() {
    int prefix = 0;
    int most = Math.min(before.size(), after.size());
    while (prefix < most && before.get(prefix).equals(after.get(prefix))) {
      prefix++;
    }
    int suffix = 0;
    while (suffix < most - prefix
        && before.get(before.size() - 1 - suffix).equals(after.get(after.size() - 1 - suffix))) {
      suffix++;
    }
    return edits(prefix, before.size() - suffix, after.size() - suffix);
  }

  private List<Edit> edits(int start, int end, int newEnd) {
    List<Integer> shared = sharedLines(before, start, end, after, start, newEnd);
    List<Integer> newShared = sharedLines(after, start, newEnd, before, start, end);
    var gone = new BitSet(end);
    gone.set(start, end);
    var added = new BitSet(newEnd);
    added.set(start, newEnd);
    if ((long) shared.size() * newShared.size() <= MOST_PAIRS) {
      keepCommon(shared, newShared, gone, added);
    }
    return collect(start, end, newEnd, gone, added);
  }

  /** Numbers of the lines of one range that the other range has as well. */
  private static List<Integer> sharedLines(
      List<String> in, int start, int end, List<String> other, int otherStart, int otherEnd) {
    var known = new HashSet<>(other.subList(otherStart, otherEnd));
    var numbers = new ArrayList<Integer>();
    for (int i = start; i < end; i++) {
      if (known.contains(in.get(i))) {
        numbers.add(i);
      }
    }
    return numbers;
  }

  private void keepCommon(
      List<Integer> shared, List<Integer> newShared, BitSet gone, BitSet added) {
    Map<String, Integer> known = new HashMap<>();
    List<Integer> left = numbered(shared, before, known);
    List<Integer> right = numbered(newShared, after, known);
    var changes =
        new ArrayList<Change>(
            new MyersDiffWithLinearSpace<Integer>().computeDiff(left, right, null));
    changes.sort(Comparator.comparingInt(change -> change.startOriginal));
    int at = 0;
    int newAt = 0;
    for (Change change : changes) {
      keep(shared, at, change.startOriginal, gone);
      keep(newShared, newAt, change.startRevised, added);
      at = change.endOriginal;
      newAt = change.endRevised;
    }
    keep(shared, at, shared.size(), gone);
    keep(newShared, newAt, newShared.size(), added);
  }

  private static List<Integer> numbered(
      List<Integer> lines, List<String> text, Map<String, Integer> known) {
    var numbers = new ArrayList<Integer>(lines.size());
    for (int line : lines) {
      numbers.add(known.computeIfAbsent(text.get(line), _ -> known.size()));
    }
    return numbers;
  }

  private static void keep(List<Integer> lines, int from, int to, BitSet marks) {
    lines.subList(from, to).forEach(marks::clear);
  }

  private static List<Edit> collect(int start, int end, int newEnd, BitSet gone, BitSet added) {
    var edits = new ArrayList<Edit>();
    int at = start;
    int newAt = start;
    while (at < end || newAt < newEnd) {
      int from = at;
      int newFrom = newAt;
      while (at < end && gone.get(at)) {
        at++;
      }
      while (newAt < newEnd && added.get(newAt)) {
        newAt++;
      }
      if (at > from || newAt > newFrom) {
        edits.add(new Edit(from, at, newFrom, newAt));
      } else { // a line that both have
        at++;
        newAt++;
      }
    }
    return edits;
  }
}
