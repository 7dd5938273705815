package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.util.Optional;

/**
 * What became of one file, folder or link between two states.
 *
 * @param kind added, changed, deleted or type-changed
 * @param content whether what it holds differs: a file's bytes, or what a link points to
 */
public record FileChange(
    String path, String kind, boolean content, Optional<State> before, Optional<State> after) {
  /**
   * What it was at one time.
   *
   * @param mode permission bits in octal, such as {@code 0644}
   * @param linkTarget what a symbolic link says
   */
  public record State(
      FileInfo.Type type, String mode, long uid, long gid, long size, Optional<String> linkTarget) {
    private static State of(JsonObject json) {
      return new State(
          FileInfo.typeOf(json.requireText("type")),
          json.requireText("mode"),
          json.requireLong("uid"),
          json.requireLong("gid"),
          json.requireLong("size"),
          json.findText("linkTarget"));
    }

    private JsonObject toJson() {
      var json =
          JsonObject.builder()
              .put("type", FileInfo.nameOf(type))
              .put("mode", mode)
              .put("uid", uid)
              .put("gid", gid)
              .put("size", size);
      linkTarget.ifPresent(target -> json.put("linkTarget", target));
      return json.build();
    }
  }

  static FileChange of(JsonObject json) {
    return new FileChange(
        json.requireText("path"),
        json.requireText("kind"),
        json.flag("content"),
        json.find("before").map(_ -> State.of(json.requireObject("before"))),
        json.find("after").map(_ -> State.of(json.requireObject("after"))));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json = JsonObject.builder().put("path", path).put("kind", kind).put("content", content);
    before.ifPresent(state -> json.put("before", state.toJson()));
    after.ifPresent(state -> json.put("after", state.toJson()));
    return Json.writeText(json.build());
  }
}
