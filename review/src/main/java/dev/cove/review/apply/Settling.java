package dev.cove.review.apply;

import dev.cove.model.crash.FailPoint;
import dev.cove.review.tree.Digests;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.FileCallException;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Takes steps on the host, and can be cut short at any moment and begun again.
 *
 * <p>New versions are written whole into a folder of ours, on the same file system, and are on the
 * disk before the first of them changes names with what is in its place, in one call. Only after
 * that is it known what was there, so only then is it looked at and removed; if it is not what was
 * expected, the two change back. A version that goes is first moved to our folder, for the same
 * reason. Names in our folder say which step they belong to and which way it went, so that whoever
 * begins again knows what they hold.
 *
 * <p>A program that has the file open and writes to it after the change writes to what is no longer
 * there; no file system offers better.
 */
final class Settling {
  private static final int OURS_ALONE = 0700;

  private final HeldFolder root;
  private final String asideName;
  private final List<Step> steps;

  /** Of each path: the number of its first step, and of its last. */
  private final Map<TreePath, Integer> firsts = new HashMap<>();

  private final Map<TreePath, Integer> lasts = new HashMap<>();

  /** What was in our folder when we came. */
  private Set<String> leftovers = Set.of();

  Settling(HeldFolder root, String id, List<Step> steps) {
    this.root = root;
    this.asideName = ".cove-" + id;
    this.steps = List.copyOf(steps);
    for (int i = 0; i < steps.size(); i++) {
      firsts.putIfAbsent(steps.get(i).path(), i);
      lasts.put(steps.get(i).path(), i);
    }
  }

  /** To the end of all steps. */
  void forward() throws IOException {
    Set<TreePath> edited = settle(IntStream.range(0, steps.size()).boxed().toList(), true);
    if (!edited.isEmpty()) {
      throw new UnexpectedException(edited.iterator().next());
    }
  }

  /** Back to before the first; what somebody else has edited is left alone. */
  Set<TreePath> back() throws IOException {
    return settle(IntStream.range(0, steps.size()).boxed().toList().reversed(), false);
  }

  /** Says which paths somebody else has edited. Forward, it ends with the first of them. */
  private Set<TreePath> settle(List<Integer> order, boolean forward) throws IOException {
    var edited = new TreeSet<TreePath>();
    try (HeldFolder aside = openAside()) {
      leftovers = Set.copyOf(aside.names(TreePath.ROOT, Integer.MAX_VALUE));
      var left = new LinkedHashSet<Integer>(order);
      for (Pass pass : List.<Pass>of(this::clear, this::stage, this::take)) {
        for (int step : List.copyOf(left)) {
          try {
            pass.run(aside, step, forward);
          } catch (UnexpectedException e) {
            edited.add(e.path());
            left.remove(step);
          }
          if (forward && !edited.isEmpty()) {
            return edited;
          }
        }
        root.syncAll();
      }
    }
    removeAside();
    return edited;
  }

  /** What is done for each step before anything else is done for the next. */
  @FunctionalInterface
  private interface Pass {
    void run(HeldFolder aside, int step, boolean forward) throws IOException;
  }

  private HeldFolder openAside() throws IOException {
    try {
      root.makeFolder(asideName, OURS_ALONE);
    } catch (FileCallException e) {
      if (!e.meansOccupied()) {
        throw e;
      }
    }
    return root.folder(new TreePath(asideName));
  }

  /** It stays if it holds something that nobody expected and that could not go back. */
  private void removeAside() throws IOException {
    try {
      root.removeFolder(asideName);
    } catch (FileCallException e) {
      if (!e.meansOccupied()) {
        throw e;
      }
    }
  }

  private Step step(int index, boolean forward) {
    return forward ? steps.get(index) : steps.get(index).reversed();
  }

  private static String name(int index, boolean forward) {
    return index + (forward ? "-to" : "-fro");
  }

  private static String unfinished(String name) {
    return name + ".part";
  }

  /** Sees to what was left by whoever was cut short, whichever way they went. */
  private void clear(HeldFolder aside, int index, boolean unused) throws IOException {
    for (boolean forward : List.of(true, false)) {
      String name = name(index, forward);
      if (leftovers.contains(unfinished(name))) {
        discard(aside, unfinished(name));
      }
      if (leftovers.contains(name)) {
        examine(aside, step(index, forward), name);
      }
    }
  }

  /** Removes what is ours, or was expected; gives back what is not. */
  private void examine(HeldFolder aside, Step step, String name) throws IOException {
    Version held = Version.at(aside, new TreePath(name));
    if (held instanceof Version.Absent) {
      return;
    }
    boolean comes = step.from() instanceof Version.Absent;
    if (comes || held.equals(step.to()) || held.equals(step.from())) {
      discard(aside, name);
    } else {
      giveBack(aside, step, name);
      throw new UnexpectedException(step.path());
    }
  }

  /** Where something newer is in the place, both stay, this one in our folder. */
  private void giveBack(HeldFolder aside, Step step, String name) throws IOException {
    try (HeldFolder parent = root.folder(step.path().parent())) {
      Version there = Version.at(root, step.path());
      if (there instanceof Version.Absent) {
        aside.move(name, parent, step.path().name());
      } else if (there.equals(step.to())) {
        aside.exchange(name, parent, step.path().name());
        discard(aside, name);
      }
    } catch (FileCallException e) {
      throw unexpected(step, e);
    }
  }

  private static void discard(HeldFolder aside, String name) throws IOException {
    Optional<Entry> held = aside.find(new TreePath(name));
    if (held.isPresent() && held.get().kind() == Entry.Kind.FOLDER) {
      aside.removeFolder(name);
    } else if (held.isPresent()) {
      aside.remove(name);
    }
  }

  /** Whether the step is still to be taken. Something else than before or after it is an edit. */
  private boolean isDue(int index, boolean forward) throws IOException {
    Step step = step(index, forward);
    Version there;
    try {
      there = Version.at(root, step.path());
    } catch (FileCallException e) {
      throw unexpected(step, e);
    }
    if (there.equals(step.to()) || there.equals(goal(index, forward))) {
      return false;
    }
    if (!there.equals(step.from()) && !there.equals(origin(index, forward))) {
      throw new UnexpectedException(step.path());
    }
    return true;
  }

  /** A file that becomes a folder takes two steps: what is there after the last of them. */
  private Version goal(int index, boolean forward) {
    TreePath path = steps.get(index).path();
    int last = (forward ? lasts : firsts).getOrDefault(path, index);
    return step(last, forward).to();
  }

  /** What is there before the first of them. */
  private Version origin(int index, boolean forward) {
    TreePath path = steps.get(index).path();
    int first = (forward ? firsts : lasts).getOrDefault(path, index);
    return step(first, forward).from();
  }

  private static IOException unexpected(Step step, FileCallException e) {
    if (e.meansAbsent() || e.meansDetour() || e.meansOccupied()) {
      var unexpected = new UnexpectedException(step.path());
      unexpected.initCause(e);
      return unexpected;
    }
    return e;
  }

  /**
   * Whole, and with its final rights, before it has a name by which it would be taken for whole.
   */
  private void stage(HeldFolder aside, int index, boolean forward) throws IOException {
    Step step = step(index, forward);
    if (!isDue(index, forward) || step.to() instanceof Version.Absent) {
      return;
    }
    String name = name(index, forward);
    String part = unfinished(name);
    switch (step.to()) {
      case Version.File file -> copy(aside, step.path(), file, part);
      case Version.Link(var target) -> aside.makeLink(part, target);
      case Version.Folder(var permissions) -> aside.makeFolder(part, permissions);
      case Version.Absent _, Version.Special _ ->
          throw new IllegalStateException("Nobody plans to make " + step.to().shown());
    }
    giveToOwner(aside, step, part);
    aside.move(part, aside, name);
    FailPoint.APPLY_BESIDE.reached();
  }

  private static void copy(HeldFolder aside, TreePath path, Version.File file, String part)
      throws IOException {
    var digest = Digests.begin();
    try (InputStream in = file.content().open();
        OutputStream out = aside.create(part, file.permissions())) {
      byte[] piece = new byte[64 * 1024];
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        digest.update(piece, 0, read);
        out.write(piece, 0, read);
      }
    }
    if (!Digests.end(digest).equals(file.content().digest())) {
      throw new IOException("What was kept for %s is damaged".formatted(path));
    }
  }

  /** Where root applies for somebody, files stay theirs, or become whose folder they are in. */
  private void giveToOwner(HeldFolder aside, Step step, String part) throws IOException {
    Entry made = aside.find(new TreePath(part)).orElseThrow();
    TreePath at = step.path();
    Optional<Entry> like = root.find(at);
    while (like.isEmpty() && !at.isRoot()) {
      at = at.parent();
      like = root.find(at);
    }
    Entry owned = like.orElse(made);
    if (made.uid() == 0 && (owned.uid() != made.uid() || owned.gid() != made.gid())) {
      aside.changeOwner(part, owned.uid(), owned.gid());
    }
  }

  private void take(HeldFolder aside, int index, boolean forward) throws IOException {
    if (!isDue(index, forward)) {
      return;
    }
    Step step = step(index, forward);
    try (HeldFolder parent = root.folder(step.path().parent())) {
      take(aside, parent, step, name(index, forward));
    } catch (FileCallException e) {
      throw unexpected(step, e);
    }
  }

  private void take(HeldFolder aside, HeldFolder parent, Step step, String name)
      throws IOException {
    String place = step.path().name();
    if (step.to() instanceof Version.Absent && step.from() instanceof Version.Folder) {
      parent.removeFolder(place);
    } else if (step.to() instanceof Version.Absent) {
      parent.move(place, aside, name);
    } else if (step.from() instanceof Version.Absent) {
      aside.move(name, parent, place);
    } else {
      aside.exchange(name, parent, place);
    }
    FailPoint.APPLY_PLACED.reached();
    examine(aside, step, name);
  }
}
