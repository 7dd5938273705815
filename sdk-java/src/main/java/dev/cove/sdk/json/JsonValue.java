package dev.cove.sdk.json;

import java.util.List;

/** Any JSON value. */
public sealed interface JsonValue
    permits JsonObject,
        JsonValue.Text,
        JsonValue.Numeral,
        JsonValue.Bool,
        JsonValue.Items,
        JsonValue.Null {
  /** A string. */
  record Text(String value) implements JsonValue {}

  /** A number, kept as it was written so that nothing is rounded. */
  record Numeral(String literal) implements JsonValue {}

  /** True or false. */
  record Bool(boolean value) implements JsonValue {}

  /** An array. */
  record Items(List<JsonValue> values) implements JsonValue {
    public Items {
      values = List.copyOf(values);
    }
  }

  /** The literal null. */
  record Null() implements JsonValue {}

  static JsonValue of(String text) {
    return new Text(text);
  }

  static JsonValue of(long number) {
    return new Numeral(Long.toString(number));
  }

  static JsonValue of(boolean value) {
    return new Bool(value);
  }

  /** A whole number where there is one, so that 2 cpus are written as 2. */
  static JsonValue of(double number) {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException("JSON has no number for " + number);
    }
    boolean whole = number == Math.rint(number) && Math.abs(number) < 1e15;
    return new Numeral(whole ? Long.toString((long) number) : Double.toString(number));
  }

  static JsonValue ofTexts(List<String> texts) {
    return new Items(texts.stream().map(JsonValue::of).toList());
  }
}
