package dev.cove.cli;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Joins what the SDK already gives as JSON. */
final class JsonLines {
  private JsonLines() {}

  /** An array with one item a line, so that it can also be read by eye. */
  static <T> String array(List<T> items, Function<T, String> toJson) {
    if (items.isEmpty()) {
      return "[]";
    }
    return items.stream().map(toJson).collect(Collectors.joining(",\n ", "[", "]"));
  }
}
