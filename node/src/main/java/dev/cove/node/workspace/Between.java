package dev.cove.node.workspace;

import dev.cove.node.NodeWorkspaces.Reviewed;
import dev.cove.review.apply.Version;
import dev.cove.review.change.Change;
import dev.cove.review.change.Danger;
import dev.cove.review.text.GitPatch;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * How two states of a sandbox differ, both of which lie over the same folder of the host: only
 * paths that one of the two has changed can be different.
 */
final class Between {
  private final Reading before;
  private final Reading after;

  Between(Reading before, Reading after) {
    this.before = before;
    this.after = after;
  }

  byte[] patch(List<TreePath> below) throws IOException {
    var patch = new GitPatch();
    for (Reviewed reviewed : changes(below)) {
      TreePath path = reviewed.change().path();
      var old = Contents.side(path, version(before, path, false));
      var fresh = Contents.side(path, version(after, path, false));
      Contents.add(patch, old, fresh, reviewed.change().kind() == Change.Kind.TYPE);
    }
    return patch.bytes();
  }

  List<Reviewed> changes(List<TreePath> below) throws IOException {
    var then = touched(before, below);
    var now = touched(after, below);
    var all = new TreeMap<TreePath, Change>(then);
    all.putAll(now);
    var found = new ArrayList<Reviewed>();
    for (TreePath path : all.keySet()) {
      Version old = version(before, path, then.containsKey(path));
      Version fresh = version(after, path, now.containsKey(path));
      if (!old.equals(fresh)) {
        Set<Danger> dangers = now.containsKey(path) ? now.get(path).dangers() : Set.of();
        var change =
            new Change(
                path,
                kind(old, fresh),
                Optional.empty(),
                entry(old),
                entry(fresh),
                false,
                true,
                dangers);
        found.add(new Reviewed(change, link(old), link(fresh)));
      }
    }
    return found;
  }

  private static Map<TreePath, Change> touched(Reading reading, List<TreePath> below)
      throws IOException {
    var paths = new TreeMap<TreePath, Change>();
    for (Change change : reading.changesFromHost().changes()) {
      paths.put(change.path(), change);
      change.from().ifPresent(from -> paths.put(from, change));
    }
    paths.keySet().removeIf(path -> !Reading.isBelow(path, below));
    return paths;
  }

  private static Version version(Reading reading, TreePath path, boolean touched)
      throws IOException {
    if (touched || reading.sandbox().find(path).isPresent()) {
      return reading.sandbox().version(path);
    }
    return reading.hidden().test(path) ? new Version.Absent() : reading.hostVersion(path);
  }

  private static Change.Kind kind(Version old, Version fresh) {
    if (old instanceof Version.Absent) {
      return Change.Kind.ADDED;
    }
    if (fresh instanceof Version.Absent) {
      return Change.Kind.DELETED;
    }
    return old.getClass() == fresh.getClass() ? Change.Kind.CHANGED : Change.Kind.TYPE;
  }

  private static Optional<Entry> entry(Version version) {
    return switch (version) {
      case Version.Absent _ -> Optional.empty();
      case Version.Folder(var mode) -> Optional.of(entry(Entry.Kind.FOLDER, mode, 0));
      case Version.File(var content, var mode) ->
          Optional.of(entry(Entry.Kind.FILE, mode, content.size()));
      case Version.Link(var target) -> Optional.of(entry(Entry.Kind.LINK, 0777, target.length()));
      case Version.Special _ -> Optional.of(entry(Entry.Kind.SPECIAL, 0, 0));
    };
  }

  private static Entry entry(Entry.Kind kind, int mode, long size) {
    return new Entry(kind, mode, size, 1, 0, 0, Instant.EPOCH);
  }

  private static Optional<String> link(Version version) {
    return version instanceof Version.Link(var target) ? Optional.of(target) : Optional.empty();
  }
}
