package dev.cove.review.change;

import dev.cove.review.apply.Base;
import dev.cove.review.tree.TreePath;
import java.util.Optional;

/** What is known to have been at paths before, other than by what the host has there. */
@FunctionalInterface
public interface Bases {
  Bases NONE = _ -> Optional.empty();

  /** Empty where the host's own file is as good as its time tells. */
  Optional<Base> find(TreePath path);
}
