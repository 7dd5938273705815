package dev.cove.edge.http;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks on JSON fields that types alone cannot make. */
public final class Fields {
  private Fields() {}

  public static <T> T require(String field, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException(field + " is missing");
    }
    return value;
  }

  /** Text by name, with no null in it; absent is empty. */
  public static Map<String, String> textMap(
      String field, @Nullable Map<String, @Nullable String> map) {
    if (map == null) {
      return Map.of();
    }
    var checked = new HashMap<String, String>();
    for (var entry : map.entrySet()) {
      checked.put(
          entry.getKey(), require(field + "." + Text.quote(entry.getKey()), entry.getValue()));
    }
    return checked;
  }

  public static List<String> textList(String field, @Nullable List<@Nullable String> list) {
    return require(field, list).stream().map(text -> require("An item of " + field, text)).toList();
  }

  public static long between(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s must be between %d and %d, was %d".formatted(field, min, max, value));
    }
    return value;
  }
}
