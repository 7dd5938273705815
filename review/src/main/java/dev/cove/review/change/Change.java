package dev.cove.review.change;

import dev.cove.review.tree.Entry;
import dev.cove.review.tree.TreePath;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * One path that a sandbox changed.
 *
 * @param from where it was before, if it was renamed
 * @param before what the sandbox found; nothing where the host's path is hidden
 * @param hostChanged whether the host's file has changed since the sandbox was opened, or since it
 *     was last applied to
 * @param baseKnown whether it is known what the sandbox found
 */
public record Change(
    TreePath path,
    Kind kind,
    Optional<TreePath> from,
    Optional<Entry> before,
    Optional<Entry> after,
    boolean hostChanged,
    boolean baseKnown,
    Set<Danger> dangers) {

  public enum Kind {
    ADDED,
    DELETED,
    /** Content, and perhaps permissions as well. */
    CHANGED,
    /** Permissions alone. */
    MODE,
    /** A file became a folder, a link or the like, or the other way round. */
    TYPE,
    /** The same content under another name. */
    RENAMED
  }

  public Change {
    dangers = dangers.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(dangers));
  }

  /** The worst first, then by path. */
  static int compare(Change one, Change other) {
    int worst = Integer.compare(rank(one), rank(other));
    return worst != 0 ? worst : one.path.compareTo(other.path);
  }

  private static int rank(Change change) {
    return change.dangers.stream().mapToInt(Danger::ordinal).min().orElse(Integer.MAX_VALUE);
  }
}
