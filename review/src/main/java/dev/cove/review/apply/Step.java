package dev.cove.review.apply;

import dev.cove.review.tree.TreePath;

/** One path of the host that becomes something else. */
public record Step(TreePath path, Version from, Version to) {
  Step reversed() {
    return new Step(path, to, from);
  }
}
