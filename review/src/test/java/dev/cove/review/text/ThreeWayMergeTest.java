package dev.cove.review.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.review.text.ThreeWayMerge.Merged;
import dev.cove.review.text.ThreeWayMerge.Names;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ThreeWayMergeTest {
  private static final Names NAMES = new Names("host", "before", "sandbox");
  private static final String TEN = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

  private static Merged merge(String base, String ours, String theirs) {
    return ThreeWayMerge.merge(Lines.ofText(base), Lines.ofText(ours), Lines.ofText(theirs));
  }

  private static String text(Merged merged) {
    return new String(merged.bytes(NAMES), StandardCharsets.UTF_8);
  }

  @Test
  void edits_that_do_not_meet_are_both_taken() {
    Merged merged = merge(TEN, TEN.replace("2\n", "two\n"), TEN.replace("9\n", "nine\nand\n"));
    assertThat(merged.isClean()).isTrue();
    assertThat(text(merged)).isEqualTo("1\ntwo\n3\n4\n5\n6\n7\n8\nnine\nand\n10\n");
  }

  @Test
  void the_same_edit_on_both_sides_is_taken_once() {
    String both = TEN.replace("5\n", "five\n");
    assertThat(text(merge(TEN, both, both))).isEqualTo(both);
  }

  @Test
  void edits_of_one_line_are_shown_with_all_three_versions() {
    Merged merged = merge("a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n");
    assertThat(merged.conflicts()).isEqualTo(1);
    assertThat(text(merged))
        .isEqualTo(
            """
            a
            <<<<<<< host
            ours
            ||||||| before
            b
            =======
            theirs
            >>>>>>> sandbox
            c
            """);
  }

  @Test
  void edits_of_neighbouring_lines_are_a_conflict() {
    assertThat(merge("a\nb\n", "A\nb\n", "a\nB\n").isClean()).isFalse();
  }

  @Test
  void two_insertions_at_one_place_are_a_conflict() {
    assertThat(merge("a\nb\n", "a\nx\nb\n", "a\ny\nb\n").isClean()).isFalse();
  }

  @Test
  void a_deletion_and_an_edit_of_one_line_are_a_conflict() {
    assertThat(merge("a\nb\nc\n", "a\nc\n", "a\nB\nc\n").isClean()).isFalse();
  }

  @Test
  void a_missing_end_of_line_is_an_edit_of_the_last_line() {
    assertThat(text(merge(TEN, TEN.stripTrailing(), TEN.replace("2\n", "two\n"))))
        .isEqualTo(TEN.replace("2\n", "two\n").stripTrailing());
    assertThat(merge("a\nb\n", "a\nb", "a\nb\nc\n").isClean()).isFalse();
  }

  @Test
  void bytes_that_are_no_characters_come_through() {
    byte[] base = {(byte) 0xff, '\n', 'a', '\n', 'b', '\n', (byte) 0xfe};
    byte[] ours = {(byte) 0xff, '\n', 'a', '\n', 'b', '\n', (byte) 0xfd};
    byte[] theirs = {(byte) 0xc3, '\n', 'a', '\n', 'b', '\n', (byte) 0xfe};
    assertThat(ThreeWayMerge.merge(Lines.of(base), Lines.of(ours), Lines.of(theirs)).bytes(NAMES))
        .isEqualTo(new byte[] {(byte) 0xc3, '\n', 'a', '\n', 'b', '\n', (byte) 0xfd});
  }

  /** The search would take lines times differences, which whoever wrote the text has chosen. */
  @Test
  void text_that_was_made_to_be_slow_to_compare_is_one_edit() {
    var random = new Random(7);
    Lines one = new Lines(repetitive(random, 30_000));
    Lines other = new Lines(repetitive(random, 30_000));
    assertThat(LineEdits.between(one, other)).hasSize(1);
    assertThat(LineEdits.between(one, one)).isEmpty();
  }

  private static List<String> repetitive(Random random, int count) {
    return IntStream.range(0, count).mapToObj(i -> random.nextInt(5) + "\n").toList();
  }

  /** Every line that a side made is its own, so that each can be looked for in what came out. */
  private static final class Side {
    final List<String> lines = new ArrayList<>();
    final Set<String> made = new HashSet<>();
    final Set<String> removed = new HashSet<>();
  }

  private static Side edited(List<String> base, Random random, String name) {
    var side = new Side();
    int edits = random.nextInt(5);
    Set<Integer> places = new HashSet<>();
    for (int i = 0; i < edits; i++) {
      places.add(random.nextInt(base.size() + 1));
    }
    for (int i = 0; i <= base.size(); i++) {
      int what = places.contains(i) ? random.nextInt(3) : -1;
      boolean there = i < base.size();
      if (what == 0 || what == 1) {
        for (int k = 0; k <= random.nextInt(2); k++) {
          String line = "%s %d %d\n".formatted(name, i, k);
          side.lines.add(line);
          side.made.add(line);
        }
      }
      if (there && (what == 1 || what == 2)) {
        side.removed.add(base.get(i));
      } else if (there) {
        side.lines.add(base.get(i));
      }
    }
    return side;
  }

  @Test
  void no_edit_is_lost_whatever_both_sides_do() {
    int clean = 0;
    for (int seed = 0; seed < 4000; seed++) {
      var random = new Random(seed);
      int count = random.nextInt(30);
      List<String> base = IntStream.range(0, count).mapToObj(i -> "line " + i + "\n").toList();
      Side ours = edited(base, random, "ours");
      Side theirs = edited(base, random, "theirs");
      Merged merged =
          ThreeWayMerge.merge(new Lines(base), new Lines(ours.lines), new Lines(theirs.lines));
      List<String> out = Lines.of(merged.bytes(NAMES)).all();
      assertThat(out).as("seed %d", seed).containsAll(ours.made).containsAll(theirs.made);
      if (merged.isClean()) {
        clean++;
        var expected = new HashSet<>(base);
        expected.removeAll(ours.removed);
        expected.removeAll(theirs.removed);
        expected.addAll(ours.made);
        expected.addAll(theirs.made);
        assertThat(out).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(expected);
        for (Side side : List.of(ours, theirs)) {
          assertThat(out.stream().filter(side.lines::contains).toList())
              .as("seed %d: what a side kept is in its order", seed)
              .isEqualTo(side.lines.stream().filter(out::contains).toList());
        }
      }
    }
    assertThat(clean).isBetween(400, 3900); // both outcomes are looked at
  }
}
