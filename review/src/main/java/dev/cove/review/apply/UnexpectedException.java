package dev.cove.review.apply;

import dev.cove.review.tree.TreePath;
import java.io.IOException;

/** In a place there is neither what was expected nor what was wanted: somebody else's edit. */
final class UnexpectedException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient TreePath path;

  UnexpectedException(TreePath path) {
    super(path + " was changed by somebody else meanwhile");
    this.path = path;
  }

  TreePath path() {
    return path;
  }
}
