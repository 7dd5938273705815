package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;

/** What cells of code share and remember. */
public record CodeContext(String id, String language, String cwd) {
  static CodeContext of(JsonObject json) {
    return new CodeContext(
        json.requireText("id"), json.requireText("language"), json.requireText("cwd"));
  }
}
