package dev.cove.review.hide;

import dev.cove.review.tree.Entry;
import dev.cove.review.tree.FileCallException;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Looks for what is hidden in folders, and remembers what it found with the time of each folder:
 * the next time only those are read that have changed. Safe for use by many threads.
 */
public final class HiddenSearch {
  private static final int MOST_IN_A_FOLDER = 500_000;
  private static final int MOST_FOLDERS = 500_000;
  private static final int MOST_REMEMBERED = 16;
  private static final int MOST_HIDDEN = 19_000;

  /** A folder may change again in the same tick of the kernel's clock. */
  private static final Duration UNSURE = Duration.ofMillis(50);

  private final Map<Key, Map<TreePath, Facts>> remembered =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Map<TreePath, Facts>> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  private record Key(Path root, String rules) {}

  /**
   * What was in a folder at a time.
   *
   * @param withTokens names that are hidden if there is a token in them
   */
  private record Facts(
      Instant changedAt,
      List<TreePath> folders,
      List<TreePath> hidden,
      List<TreePath> withTokens) {}

  /**
   * What is hidden.
   *
   * @param found what is there, in order
   * @param always names at the top that would be hidden if they were
   */
  public record Hidden(List<TreePath> found, List<TreePath> always) {
    public Hidden {
      found = List.copyOf(found);
      always = List.copyOf(always);
    }
  }

  /**
   * @throws IllegalArgumentException where there are too many folders or hidden paths
   */
  public Hidden find(Path path, HeldFolder root, HidingRules rules) throws IOException {
    var key = new Key(path, rules.text());
    Map<TreePath, Facts> before;
    synchronized (remembered) {
      before = remembered.getOrDefault(key, Map.of());
    }
    var now = new HashMap<TreePath, Facts>();
    var found = new TreeSet<TreePath>();
    Deque<TreePath> left = new ArrayDeque<>(List.of(TreePath.ROOT));
    while (!left.isEmpty()) {
      TreePath folder = left.pop();
      Optional<Facts> facts = facts(root, folder, Optional.ofNullable(before.get(folder)), rules);
      if (facts.isEmpty()) {
        continue;
      }
      now.put(folder, facts.get());
      found.addAll(facts.get().hidden());
      for (TreePath one : facts.get().withTokens()) {
        if (holdsToken(root, one)) {
          found.add(one);
        }
      }
      facts.get().folders().forEach(left::push);
      requireFew(path, now.size(), found.size());
    }
    synchronized (remembered) {
      remembered.put(key, now);
    }
    return new Hidden(List.copyOf(found), rules.always());
  }

  private static void requireFew(Path path, int folders, int hidden) {
    if (folders > MOST_FOLDERS || hidden > MOST_HIDDEN) {
      throw new IllegalArgumentException(
          "%s has more than %d folders, or more than %d paths to hide"
              .formatted(path, MOST_FOLDERS, MOST_HIDDEN));
    }
  }

  private static Optional<Facts> facts(
      HeldFolder root, TreePath folder, Optional<Facts> before, HidingRules rules)
      throws IOException {
    Optional<Entry> entry = folder.isRoot() ? Optional.of(root.entry()) : root.glance(folder);
    if (entry.isEmpty() || entry.get().kind() != Entry.Kind.FOLDER) {
      return Optional.empty(); // it went meanwhile
    }
    Instant changedAt = entry.get().changedAt();
    if (before.isPresent() && before.get().changedAt().equals(changedAt)) {
      return before;
    }
    boolean sure = changedAt.isBefore(Instant.now().minus(UNSURE));
    return read(root, folder, sure ? changedAt : Instant.MIN, rules);
  }

  private static Optional<Facts> read(
      HeldFolder root, TreePath folder, Instant changedAt, HidingRules rules) throws IOException {
    var folders = new ArrayList<TreePath>();
    var hidden = new ArrayList<TreePath>();
    var withTokens = new ArrayList<TreePath>();
    Map<String, Boolean> names;
    try {
      names = root.folders(folder, MOST_IN_A_FOLDER);
    } catch (FileCallException e) {
      if (e.meansAbsent() || e.meansDetour()) {
        return Optional.empty(); // it went, or something is mounted there, which nobody sees
      }
      throw e;
    }
    for (Map.Entry<String, Boolean> one : names.entrySet()) {
      TreePath path = folder.child(one.getKey());
      if (rules.hides(path, one.getValue())) {
        hidden.add(path);
      } else if (one.getValue()) {
        folders.add(path);
      } else if (UsuallyHidden.WITH_TOKENS.contains(one.getKey()) && !rules.shows(path)) {
        withTokens.add(path);
      }
    }
    return Optional.of(new Facts(changedAt, folders, hidden, withTokens));
  }

  private static boolean holdsToken(HeldFolder root, TreePath path) {
    try (InputStream in = root.read(path)) {
      String text = new String(in.readNBytes(HidingRules.MOST_BYTES), StandardCharsets.ISO_8859_1);
      return UsuallyHidden.TOKENS.stream().anyMatch(text::contains);
    } catch (IOException e) {
      return true; // what cannot be looked at stays hidden
    }
  }
}
