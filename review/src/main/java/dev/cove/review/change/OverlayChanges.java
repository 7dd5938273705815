package dev.cove.review.change;

import dev.cove.review.text.Lines;
import dev.cove.review.tree.Entry;
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

  private final HeldFolder upper;
  private final HeldFolder host;
  private final Rules rules;
  private final List<Change> changes = new ArrayList<>();
  private boolean truncated;

  /**
   * What to look for.
   *
   * @param openedAt when the sandbox was opened, by the clock of the host's file system
   * @param hidden which of the host's paths the sandbox cannot see
   * @param limit how many changes are listed at most
   */
  public record Rules(Instant openedAt, Predicate<TreePath> hidden, int limit) {
    public Rules {
      if (limit < 1) {
        throw new IllegalArgumentException("limit must be at least 1, was " + limit);
      }
    }
  }

  private OverlayChanges(HeldFolder upper, HeldFolder host, Rules rules) {
    this.upper = upper;
    this.host = host;
    this.rules = rules;
  }

  public static ChangeList read(HeldFolder upper, HeldFolder host, Rules rules) throws IOException {
    var reading = new OverlayChanges(upper, host, rules);
    reading.folder(TreePath.ROOT, Below.MERGED);
    List<Change> found = new Renames(upper, host).join(reading.changes);
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
        host.find(folder.child(name)).ifPresent(entry -> found.put(name, entry));
      }
    }
    found.keySet().removeIf(name -> rules.hidden().test(folder.child(name)));
    return found;
  }

  private void entry(TreePath path, Optional<Entry> before, Entry after, Below below)
      throws IOException {
    if (full()) {
      return;
    }
    if (after.kind() == Entry.Kind.WHITEOUT) {
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
    if (full()) {
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

  private void note(TreePath path, Change.Kind kind, Optional<Entry> before, Optional<Entry> after)
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
    boolean hostChanged =
        before.isPresent()
            && before.get().kind() != Entry.Kind.FOLDER
            && !before.get().changedAt().isBefore(rules.openedAt());
    changes.add(new Change(path, kind, Optional.empty(), before, after, hostChanged, dangers));
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

  private boolean bytesDiffer(TreePath path) throws IOException {
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
