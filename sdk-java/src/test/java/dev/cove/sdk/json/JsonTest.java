package dev.cove.sdk.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  private static JsonObject object(String json) {
    return Json.parseObject(json.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"a\":[1,2.50,-3e9,true,false,null,\"x\\\"\\n\"],\"b\":{\"c\":{}}}",
        "{\"big\":123456789012345678901234567890,\"ö\":\"日本\"}",
      })
  void what_is_read_can_be_written_again_unchanged(String json) {
    assertThat(Json.writeText(object(json))).isEqualTo(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{\"a\":}",
        "[1,2]",
        "\"text\"",
        "{} {}",
        "{'a':1}",
        "{\"a\":01}",
        "nul"
      })
  void anything_but_one_object_is_refused(String json) {
    assertThatThrownBy(() -> object(json)).isInstanceOf(JsonShapeException.class);
  }

  @Test
  void nesting_without_end_is_refused_before_the_stack_is_full() {
    String deep = "{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
    assertThatThrownBy(() -> object(deep)).isInstanceOf(JsonShapeException.class);
  }

  @Test
  void a_member_of_the_wrong_type_is_named() {
    JsonObject json =
        object("{\"n\":\"5\",\"t\":5,\"x\":1.5,\"big\":3000000000,\"when\":\"soon\"}");
    assertThatThrownBy(() -> json.requireLong("n")).hasMessageContaining("\"n\"");
    assertThatThrownBy(() -> json.requireText("t")).hasMessageContaining("\"t\"");
    assertThatThrownBy(() -> json.requireLong("x")).hasMessageContaining("\"x\"");
    assertThatThrownBy(() -> json.requireInt("big")).hasMessageContaining("\"big\"");
    assertThatThrownBy(() -> json.requireInstant("when")).hasMessageContaining("\"when\"");
    assertThatThrownBy(() -> json.requireText("gone")).hasMessageContaining("\"gone\"");
    assertThatThrownBy(() -> json.objects("n")).hasMessageContaining("\"n\"");
    assertThatThrownBy(() -> json.flag("n")).hasMessageContaining("\"n\"");
  }

  @Test
  void null_counts_as_absent() {
    JsonObject json = object("{\"a\":null}");
    assertThat(json.findText("a")).isEmpty();
    assertThat(json.objects("a")).isEmpty();
    assertThat(json.flag("a")).isFalse();
  }

  @Test
  void whole_numbers_are_written_without_a_point() {
    var json = JsonObject.builder().put("two", 2.0).put("half", 0.5).build();
    assertThat(Json.writeText(json)).isEqualTo("{\"two\":2,\"half\":0.5}");
    assertThatThrownBy(() -> JsonValue.of(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
  }
}
