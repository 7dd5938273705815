package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Something that code has to show, in all the ways in which it can be shown.
 *
 * @param main whether it is the value of the code itself, and not displayed beside
 * @param shown by {@code text}, {@code html}, {@code markdown}, {@code svg}, {@code png}, {@code
 *     jpeg}, {@code pdf} (these three in base64), {@code latex}, {@code javascript}, and as JSON
 *     {@code json}, {@code data} (a table's columns), {@code chart} and {@code extra}
 */
public record CodeValue(boolean main, Map<String, String> shown) {
  public CodeValue {
    shown = Map.copyOf(shown);
  }

  static CodeValue of(JsonObject json) {
    var shown = new LinkedHashMap<String, String>();
    json.members()
        .forEach((name, value) -> {
          if (!name.equals("main")) {
            shown.put(
                name, value instanceof JsonValue.Text(var text) ? text : Json.writeText(value));
          }
        });
    return new CodeValue(json.flag("main"), shown);
  }

  public Optional<String> as(String kind) {
    return Optional.ofNullable(shown.get(kind));
  }

  public Optional<String> text() {
    return as("text");
  }
}
