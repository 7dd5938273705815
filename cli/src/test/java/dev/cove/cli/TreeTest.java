package dev.cove.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Life;
import dev.cove.sdk.SandboxInfo;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TreeTest {
  private static final Instant START = Instant.parse("2026-11-16T00:00:00Z");

  private static final Life NOTHING_SAID =
      new Life(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static SandboxInfo box(String id, int age, Optional<String> parent) {
    Instant created = START.minusSeconds(age);
    return new SandboxInfo(
        id,
        "the " + id,
        "default",
        "running",
        Optional.empty(),
        "host",
        "container",
        Optional.empty(),
        1,
        64,
        128,
        32,
        Map.of(),
        created,
        Optional.of(created),
        Optional.empty(),
        Optional.empty(),
        parent,
        Optional.empty(),
        NOTHING_SAID,
        Optional.empty(),
        List.of());
  }

  private static SandboxInfo root(String id, int age) {
    return box(id, age, Optional.empty());
  }

  private static SandboxInfo child(String id, int age, String parent) {
    return box(id, age, Optional.of(parent));
  }

  private static List<String> shown(SandboxInfo... boxes) {
    var bytes = new ByteArrayOutputStream();
    var out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    Tree.table(Descent.of(List.of(boxes)), START).print(out, false);
    return bytes.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void children_stand_below_their_parent_two_spaces_further_in_and_the_oldest_first() {
    assertThat(
            shown(
                child("young", 20, "eve"),
                root("adam", 50),
                child("grandchild", 10, "old"),
                child("old", 30, "eve"),
                root("eve", 60)))
        .containsExactly(
            "ID              NAME            STATE    AGE",
            "eve             the eve         running  1m",
            "  old           the old         running  30s",
            "    grandchild  the grandchild  running  10s",
            "  young         the young       running  20s",
            "adam            the adam        running  50s");
  }

  @Test
  void a_sandbox_whose_parent_is_gone_is_a_root() {
    assertThat(Descent.of(List.of(child("orphan", 20, "gone"), child("heir", 10, "orphan"))))
        .extracting(Descent.Place::depth)
        .containsExactly(0, 1);
  }

  @Test
  void where_there_are_no_sandboxes_there_is_only_the_heading() {
    assertThat(shown()).hasSize(1);
  }

  @Test
  void a_very_long_line_of_forks_can_be_shown() {
    List<SandboxInfo> line = new ArrayList<>(List.of(root("0", 0)));
    for (int i = 1; i < 50_000; i++) {
      line.add(child("" + i, i, "" + (i - 1)));
    }
    assertThat(Descent.of(line)).hasSize(50_000).last().returns(49_999, Descent.Place::depth);
  }

  @Test
  void programs_get_the_depth_and_the_parent() {
    Descent.Place place = Descent.of(List.of(root("a", 2), child("b", 1, "a"))).getLast();
    assertThat(Tree.toJson(place))
        .startsWith("{\"depth\":1,\"id\":\"b\",")
        .contains("\"parent\":\"a\",");
  }
}
