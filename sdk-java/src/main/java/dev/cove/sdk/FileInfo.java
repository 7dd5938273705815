package dev.cove.sdk;

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

  private static Type typeOf(String name) {
    for (Type type : Type.values()) {
      if (type.name().toLowerCase(Locale.ROOT).equals(name)) {
        return type;
      }
    }
    return Type.OTHER;
  }
}
