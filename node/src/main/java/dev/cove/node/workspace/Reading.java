package dev.cove.node.workspace;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.node.NodeWorkspaces.Reviewed;
import dev.cove.review.apply.Base;
import dev.cove.review.apply.Version;
import dev.cove.review.base.KeptBases;
import dev.cove.review.change.Bases;
import dev.cove.review.change.Change;
import dev.cove.review.change.ChangeList;
import dev.cove.review.change.LayerStack;
import dev.cove.review.change.OverlayChanges;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.FileCallException;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A folder in a sandbox, open to be looked at: what the sandbox wrote, what the host has, and what
 * was before.
 */
record Reading(
    LayerStack sandbox,
    HeldFolder host,
    KeptBases bases,
    Instant openedAt,
    Predicate<TreePath> hidden)
    implements Closeable {
  /** More are not listed; nobody reviews them, and memory has an end. */
  static final int MOST_CHANGES = 100_000;

  ChangeList changes() throws IOException {
    return changes(bases);
  }

  /** Against what the host has, whatever was applied before. */
  ChangeList changesFromHost() throws IOException {
    return changes(Bases.NONE);
  }

  private ChangeList changes(Bases known) throws IOException {
    return OverlayChanges.read(
        sandbox, host, new OverlayChanges.Rules(openedAt, hidden, known, MOST_CHANGES));
  }

  /**
   * @throws CoveException TOO_LARGE where there are more than can be known
   */
  List<Change> changes(List<TreePath> below) throws IOException {
    ChangeList all = changes();
    if (all.truncated()) {
      throw new CoveException(
          ErrorCode.TOO_LARGE,
          "The sandbox has changed more than %d paths of the project; remove some of them in it."
              .formatted(MOST_CHANGES));
    }
    return all.changes().stream().filter(change -> isBelow(change, below)).toList();
  }

  static boolean isBelow(Change change, List<TreePath> below) {
    return isBelow(change.path(), below)
        || change.from().filter(from -> isBelow(from, below)).isPresent();
  }

  static boolean isBelow(TreePath path, List<TreePath> below) {
    return below.isEmpty()
        || below.stream().anyMatch(one -> one.isRoot() || path.equals(one) || path.isBelow(one));
  }

  Reviewed reviewed(Change change) throws IOException {
    return new Reviewed(
        change,
        isLink(change.before()) ? linkBefore(change) : Optional.empty(),
        isLink(change.after()) ? Optional.of(sandbox.linkTarget(change.path())) : Optional.empty());
  }

  private static boolean isLink(Optional<Entry> entry) {
    return entry.filter(one -> one.kind() == Entry.Kind.LINK).isPresent();
  }

  private Optional<String> linkBefore(Change change) throws IOException {
    return base(change) instanceof Base.Known(Version.Link(var target))
        ? Optional.of(target)
        : Optional.empty();
  }

  /** What the sandbox began with at the path where it began. */
  Base base(Change change) throws IOException {
    TreePath path = change.from().orElse(change.path());
    Optional<Base> kept = bases.find(path);
    if (kept.isPresent()) {
      return kept.get();
    }
    if (change.before().isEmpty()) {
      return new Base.Known(new Version.Absent());
    }
    return change.baseKnown() ? new Base.Known(hostVersion(path)) : new Base.Unknown();
  }

  /** Of a path at which nothing was changed, it is the host's. */
  Version hostVersion(TreePath path) throws IOException {
    try {
      return Version.at(host, path);
    } catch (FileCallException e) {
      if (e.meansDetour()) {
        return new Version.Absent();
      }
      throw e;
    }
  }

  /** Keeps what files were before, while the host's still say so. */
  void keepBases(List<Change> changes) throws IOException {
    var found = new TreeMap<TreePath, Base>();
    for (Change change : changes) {
      TreePath path = change.from().orElse(change.path());
      boolean small =
          change
              .before()
              .filter(entry -> entry.kind() == Entry.Kind.FILE)
              .filter(entry -> entry.size() <= KeptBases.LARGEST_KEPT)
              .isPresent();
      if (small && change.baseKnown() && bases.find(path).isEmpty()) {
        keep(path).ifPresent(base -> found.put(path, base));
      }
    }
    bases.keep(found);
  }

  /** The time is looked at again when all was read: nobody has changed it meanwhile. */
  private Optional<Base> keep(TreePath path) {
    try {
      Version version = Version.at(host, path);
      boolean old =
          host.find(path).filter(entry -> entry.changedAt().isBefore(openedAt)).isPresent();
      return old ? Optional.of(new Base.Known(version)) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty(); // its owner may not read it, or it is just being changed
    }
  }

  @Override
  public void close() throws IOException {
    try (host) {
      sandbox.close();
    }
  }
}
