package dev.cove.review.change;

import dev.cove.review.apply.Base;
import dev.cove.review.apply.Version;
import dev.cove.review.text.Lines;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.FileCallException;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads changes from the writable folder of an overlay without redirects, indexes and copied
 * metadata: a folder of it that is not opaque lies over the host's folder of the same path, and all
 * else stands for itself.
 */
public final class OverlayChanges {
  private static final int MOST_IN_A_FOLDER = 200_000;
  private static final int PIECE = 64 * 1024;

  private final LayerStack upper;
  private final HeldFolder host;
  private final Rules rules;
  private final List<Change> changes = new ArrayList<>();
  private boolean truncated;

  /**
   * What to look for.
   *
   * @param openedAt when the sandbox was opened, by the clock of the host's file system
   * @param hidden which of the host's paths the sandbox cannot see
   * @param bases what was kept of what was before
   * @param limit how many changes are listed at most
   */
  public record Rules(Instant openedAt, Predicate<TreePath> hidden, Bases bases, int limit) {
    public Rules {
      if (limit < 1) {
        throw new IllegalArgumentException("limit must be at least 1, was " + limit);
      }
    }
  }

  private OverlayChanges(LayerStack upper, HeldFolder host, Rules rules) {
    this.upper = upper;
    this.host = host;
    this.rules = rules;
  }

  public static ChangeList read(LayerStack upper, HeldFolder host, Rules rules) throws IOException {
    var reading = new OverlayChanges(upper, host, rules);
    reading.folder(TreePath.ROOT, Below.MERGED);
    List<Change> found = new Renames(upper, host, rules.bases()).join(reading.changes);
    return new ChangeList(found.stream().sorted(Change::compare).toList(), reading.truncated);
  }

  /** What becomes of the host's folder of the same path. */
  private enum Below {
    /** It shows through. */
    MERGED,
    /** It is there and hidden by this one. */
    REPLACED,
    /** There is none. */
    NOTHING
  }

  private boolean full() {
    truncated |= changes.size() >= rules.limit();
    return truncated;
  }

  private void folder(TreePath folder, Below below) throws IOException {
    NavigableMap<String, Entry> ours = upper.list(folder, MOST_IN_A_FOLDER);
    NavigableMap<String, Entry> theirs =
        below == Below.NOTHING ? new TreeMap<>() : hostEntries(folder, ours, below);
    for (Map.Entry<String, Entry> entry : ours.entrySet()) {
      TreePath path = folder.child(entry.getKey());
      entry(path, Optional.ofNullable(theirs.get(entry.getKey())), entry.getValue(), below);
    }
    if (below == Below.REPLACED) {
      for (Map.Entry<String, Entry> entry : theirs.entrySet()) {
        if (!ours.containsKey(entry.getKey())) {
          gone(folder.child(entry.getKey()), entry.getValue());
        }
      }
    }
  }

  /** All that the host has where all of it is replaced; else only what is looked for. */
  private NavigableMap<String, Entry> hostEntries(
      TreePath folder, NavigableMap<String, Entry> ours, Below below) throws IOException {
    NavigableMap<String, Entry> found = new TreeMap<>();
    if (below == Below.REPLACED) {
      found.putAll(host.list(folder, MOST_IN_A_FOLDER));
    } else {
      for (String name : ours.keySet()) {
        findHost(folder.child(name)).ifPresent(entry -> found.put(name, entry));
      }
    }
    found.keySet().removeIf(name -> rules.hidden().test(folder.child(name)));
    return found;
  }

  /** Nothing where a link is on the way by now, or the folder's owner may not look. */
  private Optional<Entry> findHost(TreePath path) throws IOException {
    try {
      return host.find(path);
    } catch (FileCallException e) {
      return Optional.empty();
    }
  }

  private void entry(TreePath path, Optional<Entry> before, Entry after, Below below)
      throws IOException {
    if (full()) {
      return;
    }
    Optional<Base> kept = rules.bases().find(path);
    if (kept.isPresent() && kept.get() instanceof Base.Known(var base)) {
      sinceBase(path, base, before, after, below);
    } else if (after.kind() == Entry.Kind.WHITEOUT) {
      if (before.isPresent()) {
        gone(path, before.get());
      }
    } else if (before.isEmpty()) {
      added(path, after);
    } else if (before.get().kind() != after.kind()) {
      note(path, Change.Kind.TYPE, before, Optional.of(after));
      goneBelow(path, before.get());
      if (after.kind() == Entry.Kind.FOLDER) {
        folder(path, Below.NOTHING);
      }
    } else {
      changed(path, before.get(), after, below);
    }
  }

  /** Against what was applied last, or kept; the host's version only tells whether it changed. */
  private void sinceBase(
      TreePath path, Version base, Optional<Entry> host, Entry after, Below below)
      throws IOException {
    Version now = upper.version(path);
    Optional<Entry> then = asEntry(base);
    if (!now.equals(base)) {
      var found = new Found(hostDiffers(path, base), true);
      note(
          path,
          kind(base, now),
          then,
          now instanceof Version.Absent ? Optional.empty() : Optional.of(after),
          found);
    }
    if (after.kind() == Entry.Kind.FOLDER) {
      boolean merged = host.filter(entry -> entry.kind() == Entry.Kind.FOLDER).isPresent();
      boolean replaced = below == Below.REPLACED || upper.isOpaque(path);
      folder(path, !merged ? Below.NOTHING : replaced ? Below.REPLACED : Below.MERGED);
    } else if (host.isPresent()) {
      goneBelow(path, host.get());
    }
  }

  private static Change.Kind kind(Version base, Version now) {
    if (base instanceof Version.Absent) {
      return Change.Kind.ADDED;
    }
    if (now instanceof Version.Absent) {
      return Change.Kind.DELETED;
    }
    if (base.getClass() != now.getClass()) {
      return Change.Kind.TYPE;
    }
    boolean sameContent =
        base instanceof Version.File one
            && now instanceof Version.File other
            && one.content().equals(other.content());
    return sameContent ? Change.Kind.MODE : Change.Kind.CHANGED;
  }

  /** As far as it can be told without the file itself. */
  private static Optional<Entry> asEntry(Version base) {
    return switch (base) {
      case Version.Absent _ -> Optional.empty();
      case Version.Folder(var mode) -> Optional.of(entry(Entry.Kind.FOLDER, mode, 0));
      case Version.File(var content, var mode) ->
          Optional.of(entry(Entry.Kind.FILE, mode, content.size()));
      case Version.Link(var target) -> Optional.of(entry(Entry.Kind.LINK, 0777, target.length()));
      case Version.Special _ -> Optional.of(entry(Entry.Kind.SPECIAL, 0, 0));
    };
  }

  private static Entry entry(Entry.Kind kind, int permissions, long size) {
    return new Entry(kind, permissions, size, 1, 0, 0, Instant.EPOCH);
  }

  private boolean hostDiffers(TreePath path, Version base) throws IOException {
    try {
      return !Version.at(host, path).equals(base);
    } catch (FileCallException e) {
      return true; // a link is on the way, or its owner may not look
    }
  }

  private void added(TreePath path, Entry after) throws IOException {
    note(path, Change.Kind.ADDED, Optional.empty(), Optional.of(after));
    if (after.kind() == Entry.Kind.FOLDER) {
      folder(path, Below.NOTHING);
    }
  }

  private void changed(TreePath path, Entry before, Entry after, Below below) throws IOException {
    boolean content =
        switch (after.kind()) {
          case FILE -> before.size() != after.size() || bytesDiffer(path);
          case LINK -> !host.linkTarget(path).equals(upper.linkTarget(path));
          case FOLDER -> false;
          case SPECIAL, WHITEOUT -> true;
        };
    boolean mode = after.kind() != Entry.Kind.LINK && before.permissions() != after.permissions();
    if (content || mode) {
      Change.Kind kind = content ? Change.Kind.CHANGED : Change.Kind.MODE;
      note(path, kind, Optional.of(before), Optional.of(after));
    }
    if (after.kind() == Entry.Kind.FOLDER) {
      boolean replaced = below == Below.REPLACED || upper.isOpaque(path);
      folder(path, replaced ? Below.REPLACED : Below.MERGED);
    }
  }

  private void gone(TreePath path, Entry before) throws IOException {
    boolean known =
        rules.bases().find(path).filter(new Base.Known(new Version.Absent())::equals).isPresent();
    if (full() || known) {
      return;
    }
    note(path, Change.Kind.DELETED, Optional.of(before), Optional.empty());
    goneBelow(path, before);
  }

  private void goneBelow(TreePath path, Entry before) throws IOException {
    if (before.kind() != Entry.Kind.FOLDER) {
      return;
    }
    for (Map.Entry<String, Entry> entry : host.list(path, MOST_IN_A_FOLDER).entrySet()) {
      TreePath child = path.child(entry.getKey());
      if (!rules.hidden().test(child)) {
        gone(child, entry.getValue());
      }
    }
  }

  /** What is known of the host's version besides. */
  private record Found(boolean hostChanged, boolean baseKnown) {}

  private void note(TreePath path, Change.Kind kind, Optional<Entry> before, Optional<Entry> after)
      throws IOException {
    boolean unknown = rules.bases().find(path).filter(Base.Unknown.class::isInstance).isPresent();
    boolean hostChanged =
        unknown
            || (before.isPresent()
                && before.get().kind() != Entry.Kind.FOLDER
                && !before.get().changedAt().isBefore(rules.openedAt()));
    note(path, kind, before, after, new Found(hostChanged, !hostChanged));
  }

  private void note(
      TreePath path, Change.Kind kind, Optional<Entry> before, Optional<Entry> after, Found found)
      throws IOException {
    if (full()) {
      return;
    }
    boolean hidden = rules.hidden().test(path);
    var dangers = EnumSet.noneOf(Danger.class);
    dangers.addAll(DangerousPaths.ofPath(path));
    if (hidden) {
      dangers.add(Danger.HIDDEN_NAME);
    }
    if (after.isPresent()) {
      dangers.addAll(DangerousPaths.ofEntry(before, after.get()));
      dangers.addAll(ofContent(path, after.get()));
    }
    changes.add(
        new Change(
            path,
            kind,
            Optional.empty(),
            before,
            after,
            found.hostChanged(),
            found.baseKnown(),
            dangers));
  }

  private EnumSet<Danger> ofContent(TreePath path, Entry after) throws IOException {
    var dangers = EnumSet.noneOf(Danger.class);
    if (after.kind() == Entry.Kind.LINK
        && DangerousPaths.leadsOutside(path, upper.linkTarget(path))) {
      dangers.add(Danger.LINK_OUTSIDE);
    }
    if (after.kind() == Entry.Kind.FILE && isBinary(path)) {
      dangers.add(Danger.BINARY);
    }
    return dangers;
  }

  private boolean isBinary(TreePath path) throws IOException {
    try (InputStream in = upper.read(path)) {
      return Lines.isBinary(in.readNBytes(PIECE));
    }
  }

  /** What its owner may not read counts as different. */
  private boolean bytesDiffer(TreePath path) throws IOException {
    try {
      return bytesDifferIfReadable(path);
    } catch (FileCallException e) {
      return true;
    }
  }

  private boolean bytesDifferIfReadable(TreePath path) throws IOException {
    try (InputStream one = host.read(path);
        InputStream other = upper.read(path)) {
      while (true) {
        byte[] left = one.readNBytes(PIECE);
        byte[] right = other.readNBytes(PIECE);
        if (!Arrays.equals(left, right)) {
          return true;
        }
        if (left.length < PIECE) {
          return false;
        }
      }
    }
  }
}
