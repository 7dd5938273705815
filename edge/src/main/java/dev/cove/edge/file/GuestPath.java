package dev.cove.edge.file;

import java.nio.charset.StandardCharsets;

/** The shape of a path inside a sandbox: absolute, no NUL, no longer than Linux takes. */
public final class GuestPath {
  public static final int LONGEST = 4_096;

  private GuestPath() {}

  /**
   * @param field how the caller calls it
   */
  public static String require(String field, String path) {
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException(field + " must be an absolute path");
    }
    return requireText(field, path);
  }

  /** For what may be relative, such as the target of a link. */
  public static String requireText(String field, String path) {
    if (path.isEmpty()) {
      throw new IllegalArgumentException(field + " must not be empty");
    }
    if (path.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(field + " contains a NUL character");
    }
    if (path.length() >= LONGEST || path.getBytes(StandardCharsets.UTF_8).length >= LONGEST) {
      throw new IllegalArgumentException("%s has more than %d bytes".formatted(field, LONGEST - 1));
    }
    return path;
  }
}
