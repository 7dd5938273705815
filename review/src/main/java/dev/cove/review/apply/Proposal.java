package dev.cove.review.apply;

import dev.cove.review.tree.TreePath;

/** A path that is to become what the sandbox has there. */
public record Proposal(TreePath path, Base base, Version sandbox) {
  public Proposal {
    if (path.isRoot()) {
      throw new IllegalArgumentException("The folder itself cannot be applied");
    }
  }
}
