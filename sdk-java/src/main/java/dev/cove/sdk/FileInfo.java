package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A file as the sandbox sees it.
 *
 * @param mode permission bits in octal, such as {@code 0644}
 * @param linkTarget what a symbolic link says
 */
public record FileInfo(
    String path,
    String name,
    Type type,
    long size,
    String mode,
    long uid,
    long gid,
    Instant modifiedAt,
    Optional<String> linkTarget) {
  /** What kind of file it is. */
  public enum Type {
    FILE,
    FOLDER,
    SYMLINK,
    OTHER
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json =
        JsonObject.builder()
            .put("path", path)
            .put("name", name)
            .put("type", nameOf(type))
            .put("size", size)
            .put("mode", mode)
            .put("uid", uid)
            .put("gid", gid)
            .put("modifiedAt", modifiedAt.toString());
    linkTarget.ifPresent(target -> json.put("linkTarget", target));
    return Json.writeText(json.build());
  }

  static FileInfo of(JsonObject json) {
    return new FileInfo(
        json.requireText("path"),
        json.requireText("name"),
        typeOf(json.requireText("type")),
        json.requireLong("size"),
        json.requireText("mode"),
        json.requireLong("uid"),
        json.requireLong("gid"),
        json.requireInstant("modifiedAt"),
        json.findText("linkTarget"));
  }

  /** As the HTTP API calls it. */
  static String nameOf(Type type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  static Type typeOf(String name) {
    for (Type type : Type.values()) {
      if (nameOf(type).equals(name)) {
        return type;
      }
    }
    return Type.OTHER;
  }
}
