package dev.cove.review.change;

import dev.cove.review.apply.Base;
import dev.cove.review.apply.Version;
import dev.cove.review.tree.Digests;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.FileCallException;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds what only moved: a file that is gone and one that came, with the same bytes. Files that
 * changed on their way are a deletion and an addition. Also marks twins, which only the whole list
 * shows.
 */
final class Renames {
  private static final long LARGEST = 32L << 20;
  private static final int MOST_TWIN_FOLDER = 10_000;

  private final LayerStack upper;
  private final HeldFolder host;

  private final Bases bases;

  Renames(LayerStack upper, HeldFolder host, Bases bases) {
    this.upper = upper;
    this.host = host;
    this.bases = bases;
  }

  List<Change> join(List<Change> changes) throws IOException {
    Map<Long, Deque<Change>> gone = goneBySize(changes);
    var joined = new ArrayList<Change>();
    var moved = new HashSet<TreePath>();
    for (Change change : changes) {
      Optional<Change> origin = origin(change, gone);
      origin.ifPresent(one -> moved.add(one.path()));
      joined.add(origin.map(one -> renamed(one, change)).orElse(change));
    }
    joined.removeIf(
        change -> change.kind() == Change.Kind.DELETED && moved.contains(change.path()));
    return markTwins(joined);
  }

  private static Map<Long, Deque<Change>> goneBySize(List<Change> changes) {
    Map<Long, Deque<Change>> gone = new HashMap<>();
    for (Change change : changes) {
      if (change.kind() == Change.Kind.DELETED
          && change.before().filter(Renames::isComparable).isPresent()) {
        gone.computeIfAbsent(change.before().get().size(), _ -> new ArrayDeque<>()).add(change);
      }
    }
    return gone;
  }

  private static boolean isComparable(Entry entry) {
    return entry.kind() == Entry.Kind.FILE && entry.size() > 0 && entry.size() <= LARGEST;
  }

  /** Takes what is found out of the deque, so that each file that is gone moves to one place. */
  private Optional<Change> origin(Change change, Map<Long, Deque<Change>> gone) throws IOException {
    if (change.kind() != Change.Kind.ADDED
        || change.after().filter(Renames::isComparable).isEmpty()) {
      return Optional.empty();
    }
    Deque<Change> candidates = gone.getOrDefault(change.after().get().size(), new ArrayDeque<>());
    if (candidates.isEmpty()) {
      return Optional.empty();
    }
    String digest = digest(upper.read(change.path()));
    for (Change candidate : candidates) {
      if (digestBefore(candidate.path()).equals(digest)) {
        candidates.remove(candidate);
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  private String digestBefore(TreePath path) throws IOException {
    Optional<Base> kept = bases.find(path);
    return kept.isPresent() && kept.get() instanceof Base.Known(Version.File(var content, var _))
        ? content.digest()
        : digestOfHost(path);
  }

  /** Equal to none where the folder's owner may not read it. */
  private String digestOfHost(TreePath path) throws IOException {
    try {
      return digest(host.read(path));
    } catch (FileCallException e) {
      return "";
    }
  }

  private static String digest(InputStream file) throws IOException {
    try (InputStream in = file) {
      return Digests.of(in);
    }
  }

  private static Change renamed(Change origin, Change target) {
    var dangers = EnumSet.noneOf(Danger.class);
    dangers.addAll(target.dangers());
    dangers.addAll(DangerousPaths.ofPath(origin.path()));
    if (origin.before().map(Entry::isExecutable).orElse(false)) {
      dangers.remove(Danger.EXECUTABLE);
    }
    return new Change(
        target.path(),
        Change.Kind.RENAMED,
        Optional.of(origin.path()),
        origin.before(),
        target.after(),
        origin.hostChanged(),
        origin.baseKnown(),
        dangers);
  }

  private List<Change> markTwins(List<Change> changes) throws IOException {
    Map<TreePath, Map<String, Set<String>>> known = new HashMap<>();
    for (Change change : changes) {
      if (isNewName(change)) {
        names(known, change.path().parent())
            .computeIfAbsent(folded(change.path().name()), _ -> new HashSet<>())
            .add(change.path().name());
      }
    }
    Set<TreePath> gone = new HashSet<>();
    changes.stream()
        .filter(change -> change.kind() == Change.Kind.DELETED)
        .forEach(change -> gone.add(change.path()));
    changes.forEach(change -> change.from().ifPresent(gone::add));
    var marked = new ArrayList<Change>();
    for (Change change : changes) {
      marked.add(
          isNewName(change) && hasTwin(change, known, gone::contains) ? twin(change) : change);
    }
    return marked;
  }

  private static boolean isNewName(Change change) {
    return change.kind() == Change.Kind.ADDED || change.kind() == Change.Kind.RENAMED;
  }

  private static boolean hasTwin(
      Change change, Map<TreePath, Map<String, Set<String>>> known, Predicate<TreePath> gone) {
    TreePath folder = change.path().parent();
    String name = change.path().name();
    return known.getOrDefault(folder, Map.of()).getOrDefault(folded(name), Set.of()).stream()
        .anyMatch(other -> !other.equals(name) && !gone.test(folder.child(other)));
  }

  private Map<String, Set<String>> names(
      Map<TreePath, Map<String, Set<String>>> known, TreePath folder) throws IOException {
    Map<String, Set<String>> names = known.get(folder);
    if (names == null) {
      names = new HashMap<>();
      if (host.find(folder).filter(entry -> entry.kind() == Entry.Kind.FOLDER).isPresent()) {
        for (String name : host.names(folder, MOST_TWIN_FOLDER)) {
          names.computeIfAbsent(folded(name), _ -> new HashSet<>()).add(name);
        }
      }
      known.put(folder, names);
    }
    return names;
  }

  private static String folded(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static Change twin(Change change) {
    var dangers = EnumSet.of(Danger.CASE_TWIN);
    dangers.addAll(change.dangers());
    return new Change(
        change.path(),
        change.kind(),
        change.from(),
        change.before(),
        change.after(),
        change.hostChanged(),
        change.baseKnown(),
        dangers);
  }
}
