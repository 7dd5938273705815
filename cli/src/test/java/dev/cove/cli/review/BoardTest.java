package dev.cove.cli.review;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.review.text.Hunks;
import dev.cove.review.text.Lines;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys in, a screen out. */
class BoardTest {
  private static final int ROWS = 20;
  private static final int COLUMNS = 100;
  private static final String OLD = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  private static final String NEW = "one\n2\n3\n4\n5\n6\n7\n8\nnine\nten\n";

  private final FileReview hook =
      new FileReview(
          'A',
          ".git/hooks/pre-commit",
          List.of("runs with the next git command"),
          () -> text("", "#!/bin/sh\n"));
  private final FileReview source =
      new FileReview('M', "src/a.txt", List.of(), () -> text(OLD, NEW));
  private final FileReview image =
      new FileReview('M', "logo.png", List.of(), () -> new Content.Unreadable("is no text", "f"));
  private final Board board = new Board("demo", List.of(hook, source, image));
  private final Screen screen = new Screen(line -> line.strip(), false);

  private static Content text(String before, String after) {
    return new Content.Text(
        Hunks.between(Lines.ofText(before), Lines.ofText(after), 3), before + after);
  }

  @Test
  void the_dangerous_come_with_their_reason() {
    assertThat(shown()).contains("! A .git/hooks/pre-commit").contains("! runs with the next git");
  }

  @Test
  void a_file_is_taken_and_the_next_open_one_is_shown() {
    press("r", "a", "a");

    assertThat(hook.choice()).isEqualTo(Choice.LEFT);
    assertThat(source.choice()).isEqualTo(Choice.TAKEN);
    assertThat(image.choice()).isEqualTo(Choice.TAKEN);
    assertThat(shown()).contains("All files are decided").contains("2 taken, 1 left");
  }

  @Test
  void one_hunk_is_taken_and_the_other_left() {
    press("down", "enter", "a", "r");

    assertThat(source.choice()).isEqualTo(Choice.MIXED);
    assertThat(composed(source)).isEqualTo("one\n2\n3\n4\n5\n6\n7\n8\n9\n");
  }

  @Test
  void one_line_is_taken() {
    press("down", "n", "n", "end", "a");

    assertThat(composed(source)).isEqualTo(OLD + "ten\n");
    assertThat(shown()).contains("y   10 +ten");
  }

  @Test
  void deciding_every_line_the_same_way_decides_the_file() {
    press("down", "enter", "a", "a");

    assertThat(source.choice()).isEqualTo(Choice.TAKEN);
  }

  @Test
  void a_decision_is_taken_back_line_by_line() {
    press("down", "enter", "A");
    board.press(new Key("["), ROWS);
    press("home", "down", "u");

    assertThat(source.choice()).isEqualTo(Choice.MIXED);
    assertThat(composed(source)).isEqualTo("1\none\n2\n3\n4\n5\n6\n7\n8\nnine\nten\n");
  }

  @Test
  void what_was_decided_can_be_taken_up_again() {
    press("down", "enter", "a");
    var again = new FileReview('M', "src/a.txt", List.of(), () -> text(OLD, NEW));

    again.decide(source.lines());

    assertThat(composed(again)).isEqualTo(composed(source));
    assertThat(again.choice()).isEqualTo(Choice.MIXED);
  }

  @Test
  void what_is_no_text_is_taken_whole() {
    press("end", "enter");
    assertThat(shown()).contains("It is no text: take it or leave it whole.");
    press("a");
    assertThat(image.choice()).isEqualTo(Choice.OPEN);
    press("A");
    assertThat(image.choice()).isEqualTo(Choice.TAKEN);
  }

  @Test
  void side_by_side_both_versions_of_a_line_are_decided_together() {
    press("down", "enter", "s");
    assertThat(shown()).containsPattern("-1 +\\|\\+one").containsPattern(" 2 +\\| 2");

    press("down", "a");

    assertThat(composed(source)).isEqualTo("one\n2\n3\n4\n5\n6\n7\n8\n9\n");
  }

  @Test
  void applying_is_asked_for_once_more_and_needs_something_taken() {
    assertThat(board.press(new Key("x"), ROWS)).isEqualTo(Board.Outcome.GOES_ON);
    assertThat(shown()).contains("Nothing is taken yet");
    press("a");

    assertThat(board.press(new Key("x"), ROWS)).isEqualTo(Board.Outcome.GOES_ON);
    assertThat(shown()).contains("Apply 1 of 3 files");
    assertThat(board.press(new Key("n"), ROWS)).isEqualTo(Board.Outcome.GOES_ON);
    board.press(new Key("x"), ROWS);
    assertThat(board.press(new Key("y"), ROWS)).isEqualTo(Board.Outcome.APPLY);
  }

  @Test
  void what_becomes_of_conflicts_is_chosen() {
    press("c", "c");

    assertThat(board.onConflict()).isEqualTo(Board.OnConflict.THEIRS);
    assertThat(shown()).contains("conflicts: theirs");
  }

  @ParameterizedTest
  @CsvSource({"6,24", "6,75", "6,76", "24,80", "50,200", "200,30"})
  void every_screen_is_filled_exactly(int rows, int columns) {
    for (String key : List.of("down", "enter", "s", "right", "end", "?", "escape", "left")) {
      board.press(new Key(key), Screen.page(rows));

      assertThat(screen.draw(board, rows, columns))
          .as("after %s", key)
          .hasSize(rows)
          .allSatisfy(
              line -> assertThat(line.replaceAll("\u001b\\[[0-9;]*m", "")).hasSize(columns));
    }
  }

  @Test
  void a_window_that_is_too_small_is_told() {
    assertThat(screen.draw(board, 5, 80)).singleElement().asString().contains("too small");
    assertThat(screen.draw(board, 24, 10)).singleElement().asString().hasSize(10);
  }

  @Test
  void wide_and_combining_characters_take_the_columns_that_a_terminal_gives_them() {
    assertThat(Columns.fit("日本", 0, 5)).isEqualTo("日本 ");
    assertThat(Columns.fit("日本", 0, 3)).isEqualTo("日 ");
    assertThat(Columns.fit("日本", 1, 3)).isEqualTo(" 本");
    assertThat(Columns.fit("e\u0301x", 0, 2)).isEqualTo("e\u0301x");
    assertThat(Columns.fit("a\tb", 0, 6)).isEqualTo("a   b ");
    assertThat(Columns.fitPath("src/main/java/Long.java", 12)).isEqualTo("../Long.java");
  }

  @Test
  void keys_are_read_from_what_a_terminal_sends() throws Exception {
    var in =
        new ByteArrayInputStream(
            "a\u001b[A\u001b[6~\u001bOH\t\r\u0003\u001b[99~q\u001b"
                .getBytes(StandardCharsets.UTF_8));
    var names = new ArrayList<String>();
    for (var key = Key.read(in); key.isPresent(); key = Key.read(in)) {
      names.add(key.get().name());
    }

    assertThat(names)
        .containsExactly(
            "a", "up", "pagedown", "home", "tab", "enter", "interrupt", "unknown", "q", "escape");
  }

  private void press(String... keys) {
    for (String key : keys) {
      board.press(new Key(key), Screen.page(ROWS));
    }
  }

  private String shown() {
    return String.join("\n", screen.draw(board, ROWS, COLUMNS));
  }

  private static String composed(FileReview file) {
    return new String(file.composed(), StandardCharsets.UTF_8);
  }
}
