package dev.cove.review.apply;

import dev.cove.review.tree.TreePath;
import java.util.List;

/**
 * What an apply would do. It can be applied when nothing in it is contested.
 *
 * @param steps in the order in which they are taken
 * @param unchanged paths at which the host has, or keeps, what it should
 * @param skipped paths of which nothing can be taken
 * @param contested paths about which somebody has to decide
 */
public record ApplyPlan(
    List<Step> steps, List<TreePath> unchanged, List<Note> skipped, List<Note> contested) {

  /** A path, and what is to be said about it. */
  public record Note(TreePath path, String reason) {}

  public ApplyPlan {
    steps = List.copyOf(steps);
    unchanged = List.copyOf(unchanged);
    skipped = List.copyOf(skipped);
    contested = List.copyOf(contested);
  }

  public boolean isApplicable() {
    return contested.isEmpty();
  }
}
