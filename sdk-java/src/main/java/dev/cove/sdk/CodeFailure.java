package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;

/** How code failed, as its language tells it. */
public record CodeFailure(String name, String value, String traceback) {
  static CodeFailure of(JsonObject json) {
    return new CodeFailure(
        json.requireText("name"), json.requireText("value"), json.requireText("traceback"));
  }
}
