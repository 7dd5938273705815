package dev.cove.review.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class HunksTest {
  private static final int CONTEXT = 3;

  @Test
  void changes_far_from_each_other_are_hunks_of_their_own() {
    Hunks hunks = between("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");

    assertThat(hunks.all())
        .extracting(Hunk::heading)
        .containsExactly("@@ -1,4 +1,4 @@", "@@ -6,4 +6,4 @@");
  }

  @Test
  void one_of_two_hunks_can_be_taken() {
    Hunks hunks = between("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    List<DiffLine> second = hunks.all().getLast().lines();

    assertThat(text(hunks.taking(second::contains))).isEqualTo("1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
  }

  @Test
  void a_line_that_comes_can_be_taken_without_the_one_that_goes() {
    Hunks hunks = between("a\nold\nz\n", "a\nnew\nz\n");

    assertThat(text(hunks.taking(line -> line.sign() == DiffLine.Sign.ADDED)))
        .isEqualTo("a\nold\nnew\nz\n");
    assertThat(text(hunks.taking(line -> line.sign() == DiffLine.Sign.REMOVED)))
        .isEqualTo("a\nz\n");
  }

  @Test
  void a_line_without_an_end_gets_one_when_another_follows_it() {
    Hunks hunks = between("a", "a\nb");

    assertThat(text(hunks.taking(line -> line.text().equals("b")))).isEqualTo("a\nb");
  }

  @Test
  void lines_know_where_they_stand_in_both_versions() {
    assertThat(between("a\nb\nc\n", "a\nx\ny\nc\n").all().getFirst().lines())
        .containsExactly(
            new DiffLine(DiffLine.Sign.KEPT, "a\n", 1, 1),
            new DiffLine(DiffLine.Sign.REMOVED, "b\n", 2, 2),
            new DiffLine(DiffLine.Sign.ADDED, "x\n", 3, 2),
            new DiffLine(DiffLine.Sign.ADDED, "y\n", 3, 3),
            new DiffLine(DiffLine.Sign.KEPT, "c\n", 3, 4));
  }

  @Test
  void taking_everything_gives_the_new_version_and_nothing_the_old() {
    var random = new Random(7);
    for (int round = 0; round < 500; round++) {
      String before = randomText(random);
      String after = randomText(random);
      Hunks hunks = between(before, after);
      Predicate<DiffLine> every = _ -> true;

      assertThat(text(hunks.taking(every))).as("round %d", round).isEqualTo(after);
      assertThat(text(hunks.taking(every.negate()))).as("round %d", round).isEqualTo(before);
    }
  }

  @Test
  void what_is_left_can_be_taken_later() {
    var random = new Random(11);
    for (int round = 0; round < 500; round++) {
      Lines before = Lines.ofText(randomText(random));
      Lines after = Lines.ofText(randomText(random));
      Hunks hunks = Hunks.between(before, after, CONTEXT);
      var some = new ArrayList<DiffLine>();
      hunks.all().forEach(hunk -> some.addAll(hunk.lines()));
      some.removeIf(_ -> random.nextBoolean());

      Lines between = hunks.taking(some::contains);

      assertThat(Hunks.between(between, after, CONTEXT).taking(_ -> true))
          .as("round %d", round)
          .isEqualTo(after);
    }
  }

  private static String randomText(Random random) {
    var text = new StringBuilder();
    for (int i = random.nextInt(30); i > 0; i--) {
      text.append((char) ('a' + random.nextInt(6))).append('\n');
    }
    if (random.nextInt(4) == 0) {
      text.append("end");
    }
    return text.toString();
  }

  private static Hunks between(String before, String after) {
    return Hunks.between(Lines.ofText(before), Lines.ofText(after), CONTEXT);
  }

  private static String text(Lines lines) {
    return String.join("", lines.all());
  }
}
