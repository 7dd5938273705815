package dev.cove.review.apply;

import dev.cove.model.crash.FailPoint;
import dev.cove.review.apply.Journal.Kept;
import dev.cove.review.apply.Journal.Stage;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.Rights;
import dev.cove.review.tree.TreePath;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The one that may change a folder of the host for a while. It is opened with the rights of whoever
 * wants the change, who can so do nothing through it that they could not do without.
 *
 * <p>What an earlier one began and did not end is ended before anything else.
 */
public final class ApplySession implements Closeable {
  private static final int ID_BYTES = 6;

  private final HeldFolder root;
  private final Journal journal;
  private final FileChannel lock;
  private final Optional<Outcome> recovered;

  /** What came of an apply. */
  public sealed interface Outcome {
    /**
     * All of it is there.
     *
     * @param id of what was applied; empty where there was nothing to do
     * @param undoes the one that this took back, or empty
     */
    record Applied(String id, String undoes, List<TreePath> paths) implements Outcome {
      public Applied {
        paths = List.copyOf(paths);
      }
    }

    /**
     * Somebody changed something in the very moment, and all is as it was.
     *
     * @param leftAlone what somebody else has changed, which stays as they have it
     */
    record TakenBack(List<TreePath> leftAlone) implements Outcome {
      public TakenBack {
        leftAlone = List.copyOf(leftAlone);
      }
    }
  }

  private ApplySession(HeldFolder root, Journal journal, FileChannel lock) throws IOException {
    this.root = root;
    this.journal = journal;
    this.lock = lock;
    this.recovered = recover();
  }

  /**
   * @param root the folder to be changed
   * @param state where its journal is kept, for this folder alone
   */
  public static ApplySession open(Path root, Path state) throws IOException {
    return open(root, state, Rights.OWN);
  }

  /**
   * @param rights with which the folder is changed; the journal is kept with those of the process
   */
  public static ApplySession open(Path root, Path state, Rights rights) throws IOException {
    var _ =
        Files.createDirectories(
            state,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    FileChannel lock =
        FileChannel.open(
            state.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    HeldFolder held = null;
    boolean opened = false;
    try {
      requireLock(root, lock);
      held = HeldFolder.open(root, rights);
      var session = new ApplySession(held, new Journal(state), lock);
      opened = true;
      return session;
    } finally {
      if (!opened) {
        lock.close();
        if (held != null) {
          held.close();
        }
      }
    }
  }

  @SuppressWarnings("resource") // goes with the channel
  private static void requireLock(Path root, FileChannel lock) throws IOException {
    FileLock got;
    try {
      got = lock.tryLock();
    } catch (OverlappingFileLockException e) {
      got = null;
    }
    if (got == null) {
      throw new IOException("Somebody else is just applying changes to " + root);
    }
  }

  /** What became of an apply that was cut short, if there was one. */
  public Optional<Outcome> recovered() {
    return recovered;
  }

  private Optional<Outcome> recover() throws IOException {
    Optional<Kept> pending = journal.pending();
    if (pending.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        pending.get().stage() == Stage.BACK
            ? back(pending.get(), List.of())
            : finish(pending.get()));
  }

  public ApplyPlan plan(List<Proposal> proposals, Resolution resolution) throws IOException {
    return Planning.plan(root, proposals, resolution);
  }

  /** All of it, or nothing. */
  public Outcome apply(ApplyPlan plan) throws IOException {
    if (!plan.isApplicable()) {
      throw new IllegalArgumentException("Somebody has to decide about conflicts first");
    }
    return apply("", plan.steps());
  }

  private Outcome apply(String undoes, List<Step> steps) throws IOException {
    if (steps.isEmpty()) {
      return new Outcome.Applied("", undoes, List.of());
    }
    Kept kept;
    try {
      kept = journal.begin(new JournalEntry(newId(), undoes, steps));
    } catch (UnexpectedException e) {
      Optional<Kept> none = journal.pending(); // drops the draft
      if (none.isPresent()) {
        throw new IllegalStateException("A draft was taken for more", e);
      }
      return new Outcome.TakenBack(List.of(e.path()));
    }
    FailPoint.APPLY_ANNOUNCED.reached();
    return finish(kept);
  }

  private static String newId() {
    byte[] bytes = new byte[ID_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private Outcome finish(Kept kept) throws IOException {
    try {
      settling(kept).forward();
    } catch (UnexpectedException e) {
      return turn(kept, List.of(e.path()));
    } catch (IOException e) {
      var _ = turn(kept, List.of());
      throw e;
    }
    FailPoint.APPLY_SETTLED.reached();
    Kept applied = journal.advance(kept, Stage.APPLIED);
    journal.dropOld();
    return new Outcome.Applied(
        applied.entry().id(),
        applied.entry().undoes(),
        applied.entry().steps().stream().map(Step::path).distinct().toList());
  }

  private Outcome turn(Kept kept, List<TreePath> inTheWay) throws IOException {
    Kept turned = journal.advance(kept, Stage.BACK);
    FailPoint.APPLY_TURNED.reached();
    return back(turned, inTheWay);
  }

  private Outcome back(Kept kept, List<TreePath> inTheWay) throws IOException {
    var leftAlone = new TreeSet<>(inTheWay);
    leftAlone.addAll(settling(kept).back());
    journal.forget(kept);
    return new Outcome.TakenBack(List.copyOf(leftAlone));
  }

  private Settling settling(Kept kept) {
    return new Settling(root, kept.entry().id(), kept.entry().steps());
  }

  /** Whether something was begun here and not ended; opening a session ends it. */
  public static boolean isCutShort(Path state) throws IOException {
    return Files.isDirectory(state) && new Journal(state).pending().isPresent();
  }

  /** The last apply, the other way round. Empty when there is none to undo. */
  public Optional<Outcome> undo() throws IOException {
    Optional<Kept> last = journal.lastApplied();
    if (last.isEmpty()) {
      return Optional.empty();
    }
    List<Step> steps = last.get().entry().steps().reversed().stream().map(Step::reversed).toList();
    return Optional.of(apply(last.get().entry().id(), steps));
  }

  @Override
  public void close() throws IOException {
    try (lock) {
      root.close();
    }
  }
}
