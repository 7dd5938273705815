package dev.cove.edge.review;

import dev.cove.model.file.ByteText;
import dev.cove.review.tree.TreePath;

/** Paths in a project, as they are shown. */
final class Paths {
  private Paths() {}

  /** A slash at the end is how shells complete the names of folders. */
  static TreePath parse(String shown) {
    String text = shown.endsWith("/") ? shown.substring(0, shown.length() - 1) : shown;
    if (text.equals(".")) {
      return TreePath.ROOT;
    }
    if (text.startsWith("/")) {
      throw new IllegalArgumentException(
          "A path is given from the project's top, without a / first");
    }
    return new TreePath(ByteText.parse(text));
  }
}
