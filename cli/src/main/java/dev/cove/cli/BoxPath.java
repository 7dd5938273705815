package dev.cove.cli;

import java.util.Optional;

/** A place inside a sandbox, written {@code BOX:/path}. */
record BoxPath(String box, String path) {
  /** Empty for a local file. A slash before the colon makes it local, such as {@code ./a:b}. */
  static Optional<BoxPath> find(String text) {
    int colon = text.indexOf(':');
    if (colon <= 0 || text.substring(0, colon).contains("/")) {
      return Optional.empty();
    }
    String path = text.substring(colon + 1);
    if (!path.startsWith("/")) {
      throw new UserError("A path in a sandbox begins with a slash: " + text);
    }
    return Optional.of(new BoxPath(text.substring(0, colon), path));
  }

  /** The last part of the path; empty for the root. */
  String name() {
    String trimmed = path.replaceAll("/+$", "");
    return trimmed.substring(trimmed.lastIndexOf('/') + 1);
  }

  BoxPath resolve(String name) {
    return new BoxPath(box, path.replaceAll("/+$", "") + "/" + name);
  }
}
