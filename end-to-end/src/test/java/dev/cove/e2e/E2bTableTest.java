package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class E2bTableTest {
  @Test
  void a_method_that_nobody_uses_and_nobody_explains_is_a_gap() {
    var table = new E2bTable("missing | box.fly | no wings\n");
    table.add("1.0", List.of("public box.run\npublic box.fly\npublic box.sit\nused box.run\n"));
    assertThat(table.gaps()).containsExactly("1.0: nothing uses box.sit");
  }

  @Test
  void an_explanation_of_nothing_or_of_what_works_is_a_gap() {
    var table = new E2bTable("missing | box.run | lame\ndiffers | box.swim | no water\n");
    table.add("1.0", List.of("public box.run", "used box.run"));
    assertThat(table.gaps())
        .containsExactlyInAnyOrder(
            "differences.txt names box.swim, which is not public",
            "box.run is said to be missing, and was used with success");
  }

  @Test
  void rows_tell_what_works_and_what_differs_and_which_errors_were_seen() {
    var table = new E2bTable("differs | box.sit | on the floor\n");
    table.add(
        "1.0",
        List.of(
            "public box.run\npublic box.sit\npublic box.go",
            "used box.run\nused box.sit\nused box.go\nrefused box.run TooFast"));
    assertThat(table.gaps()).isEmpty();
    assertThat(table.text())
        .endsWith(
            """
            | `box` | `go`, `run` (TooFast) | works |  |
            | `box` | `sit` | differs | on the floor |
            """);
  }
}
