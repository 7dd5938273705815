package dev.cove.node.workspace;

import dev.cove.engine.Engine;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.engine.Writings;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.Workspace;
import dev.cove.node.NodeWorkspaces;
import dev.cove.review.base.KeptBases;
import dev.cove.review.change.Change;
import dev.cove.review.change.ChangeList;
import dev.cove.review.change.LayerStack;
import dev.cove.review.hide.HiddenSearch;
import dev.cove.review.tree.FileCallException;
import dev.cove.review.tree.HeldFolder;
import dev.cove.review.tree.Rights;
import dev.cove.review.tree.TooManyEntriesException;
import dev.cove.review.tree.TreePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folders of this host in this node's sandboxes. What is known of each is in a folder of the node's
 * data, by sandbox; what was applied to a folder of the host, by that folder.
 *
 * <p>Whatever reads or changes a folder of the host does so on a thread of its own, as whoever the
 * folder belongs to.
 */
public final class LocalWorkspaces implements NodeWorkspaces {
  private static final Logger LOG = LoggerFactory.getLogger(LocalWorkspaces.class);

  /** Each has a thread and may hold a few files of some megabytes in memory. */
  private static final int MOST_AT_ONCE = 8;

  private final Path data;
  private final Engine engine;
  private final Function<List<LayerId>, RootFs> layersOf;
  private final HiddenSearch search = new HiddenSearch();
  private final HostFolders folders;
  private final Journals journals;
  private final Map<SandboxId, List<Workspace>> opened = new ConcurrentHashMap<>();

  /** Who looks at a sandbox's folders may also write down what it found: one at a time. */
  private final Map<SandboxId, ReentrantLock> locks = new ConcurrentHashMap<>();

  private final Semaphore places = new Semaphore(MOST_AT_ONCE, true);

  /**
   * @param data of the node, which no sandbox may have
   * @param layersOf a root with these sealed layers, to look into them
   */
  public LocalWorkspaces(Path data, Engine engine, Function<List<LayerId>, RootFs> layersOf) {
    this.data = data;
    this.engine = engine;
    this.layersOf = layersOf;
    this.folders = new HostFolders(data);
    this.journals = new Journals(data.resolve("reviews"));
  }

  /** Ends what was cut short when this process's predecessor ended. */
  public void recoverAll() {
    for (Path root : journals.cutShort()) {
      try {
        var outcome = Rights.apart(() -> journals.recover(root));
        LOG.info("project {}: an apply that was cut short: {}", root, outcome);
      } catch (IOException | RuntimeException e) {
        LOG.error("project {}: an apply that was cut short could not be ended", root, e);
      }
    }
  }

  @Override
  public void require(List<Workspace> wanted) {
    wanted.forEach(folders::require);
  }

  /**
   * What a sandbox that is about to be built, or started again, has of this host.
   *
   * @param layers what it stands on
   */
  public List<RootFs.Workspace> open(SandboxId id, List<Workspace> wanted, List<LayerId> layers) {
    require(wanted);
    note(id, wanted);
    var mounted = new ArrayList<RootFs.Workspace>();
    for (Workspace workspace : wanted) {
      try {
        mounted.add(open(id, workspace, layers));
      } catch (IOException e) {
        throw new CoveException(
            ErrorCode.UNSUPPORTED,
            "The project %s cannot be opened: %s".formatted(workspace.path(), e.getMessage()),
            e);
      }
    }
    return mounted;
  }

  /** What a sandbox has that an earlier process has opened. */
  public void note(SandboxId id, List<Workspace> workspaces) {
    if (!workspaces.isEmpty()) {
      opened.put(id, List.copyOf(workspaces));
    }
  }

  Map<SandboxId, List<Workspace>> opened() {
    return Map.copyOf(opened);
  }

  private RootFs.Workspace open(SandboxId id, Workspace workspace, List<LayerId> layers)
      throws IOException {
    Instant now = Instant.now();
    FolderState state = state(id, workspace);
    if (!state.isOpened() && wasWrittenTo(id, workspace, layers)) {
      state.openUnknown();
    }
    state.open(now);
    Path path = Path.of(workspace.path());
    HiddenSearch.Hidden hidden;
    try (HeldFolder root = HeldFolder.open(path)) {
      hidden = search.find(path, root, HostFolders.rules(root, workspace));
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.UNSUPPORTED, e.getMessage() + ".", e);
    }
    state.hide(hidden);
    List<String> all =
        Stream.concat(hidden.found().stream(), hidden.always().stream())
            .distinct()
            .map(TreePath::text)
            .toList();
    return bare(workspace).hiding(all);
  }

  private static RootFs.Workspace bare(Workspace workspace) {
    return new RootFs.Workspace(
        workspace.target(), Path.of(workspace.path()), workspace.readOnly(), List.of());
  }

  /** By a sandbox whose files this one has, and of which nothing more is known here. */
  private boolean wasWrittenTo(SandboxId id, Workspace workspace, List<LayerId> layers) {
    if (!layers.isEmpty()) {
      try (Writings writings = engine.writings(layersOf.apply(layers))) {
        if (!writings.of(bare(workspace)).isEmpty()) {
          return true;
        }
      }
    }
    try (Writings writings = engine.writings(id)) {
      return !writings.of(bare(workspace)).isEmpty();
    } catch (EngineException e) {
      return false; // it has no files yet
    }
  }

  private Path folderOf(SandboxId id) {
    return data.resolve("workspaces").resolve(id.value());
  }

  private FolderState state(SandboxId id, Workspace workspace) {
    return new FolderState(folderOf(id).resolve(bare(workspace).key()));
  }

  @Override
  public void inherit(SandboxId from, SandboxId to) {
    if (!Files.isDirectory(folderOf(from))) {
      return;
    }
    ReentrantLock lock = lockOf(from);
    lock.lock();
    try {
      KeptBases.copy(folderOf(from), folderOf(to));
    } catch (IOException e) {
      forget(to);
      LOG.warn("sandbox {}: what {} began with is not known to it", to, from, e);
    } finally {
      lock.unlock();
    }
  }

  /** Of a sandbox that is gone. */
  public void forget(SandboxId id) {
    opened.remove(id);
    locks.remove(id);
    try (Stream<Path> all = Files.walk(folderOf(id))) {
      for (Path one : all.toList().reversed()) {
        Files.deleteIfExists(one);
      }
    } catch (java.nio.file.NoSuchFileException e) {
      LOG.trace("sandbox {} had none", id);
    } catch (IOException e) {
      LOG.warn("sandbox {}: what was kept of its projects could not be removed", id, e);
    }
  }

  public void forgetAllBut(Set<SandboxId> present) {
    Path all = data.resolve("workspaces");
    if (!Files.isDirectory(all)) {
      return;
    }
    try (Stream<Path> folders = Files.list(all)) {
      folders
          .map(folder -> folder.getFileName().toString())
          .filter(SandboxId::isValid)
          .map(SandboxId::new)
          .filter(id -> !present.contains(id))
          .forEach(this::forget);
    } catch (IOException e) {
      LOG.warn("{} could not be cleaned up", all, e);
    }
  }

  @Override
  public List<TreePath> hidden(SandboxId id, Workspace workspace) {
    try {
      return state(id, workspace).hidden();
    } catch (IOException e) {
      throw failed(workspace, e);
    }
  }

  @FunctionalInterface
  private interface Look<T> {
    T at(Reading reading) throws IOException;
  }

  private <T> T reading(Subject subject, Look<T> look) {
    ReentrantLock lock = lockOf(subject.id());
    lock.lock();
    try {
      return apart(
          subject.workspace(),
          () -> {
            try (Reading reading = open(subject)) {
              return look.at(reading);
            }
          });
    } finally {
      lock.unlock();
    }
  }

  private ReentrantLock lockOf(SandboxId id) {
    return locks.computeIfAbsent(id, _ -> new ReentrantLock());
  }

  private <T> T apart(Workspace workspace, Rights.Work<T> work) {
    places.acquireUninterruptibly();
    try {
      return Rights.apart(work::run);
    } catch (IOException e) {
      throw failed(workspace, e);
    } finally {
      places.release();
    }
  }

  private static CoveException failed(Workspace workspace, IOException e) {
    ErrorCode code =
        switch (e) {
          case TooManyEntriesException _ -> ErrorCode.UNSUPPORTED;
          case FileCallException _ -> ErrorCode.CONFLICT;
          default -> ErrorCode.UNAVAILABLE;
        };
    return new CoveException(
        code, "Project %s: %s.".formatted(workspace.path(), e.getMessage()), e);
  }

  private Reading open(Subject subject) throws IOException {
    Path path = Path.of(subject.workspace().path());
    Rights owner;
    try (HeldFolder root = HeldFolder.open(path)) {
      owner = Rights.ofOwner(root.entry());
    }
    FolderState state = state(subject.id(), subject.workspace());
    LayerStack written = written(subject);
    boolean whole = false;
    try {
      var reading =
          new Reading(
              written,
              HeldFolder.open(path, owner),
              state.bases(),
              state.findOpenedAt().orElse(Instant.EPOCH),
              state.isHidden());
      whole = true;
      return reading;
    } finally {
      if (!whole) {
        written.close();
      }
    }
  }

  private LayerStack written(Subject subject) throws IOException {
    var folders = new ArrayList<HeldFolder>();
    try (Writings writings =
        subject.layers().isPresent()
            ? engine.writings(layersOf.apply(subject.layers().get()))
            : engine.writings(subject.id())) {
      for (Path folder : writings.of(bare(subject.workspace()))) {
        folders.add(HeldFolder.open(folder));
      }
    }
    return new LayerStack(folders);
  }

  @Override
  public Listing changes(Subject subject, List<TreePath> below) {
    return reading(
        subject,
        reading -> {
          ChangeList all = reading.changes();
          reading.keepBases(all.changes());
          var found = new ArrayList<Reviewed>();
          for (Change change : all.changes()) {
            if (Reading.isBelow(change, below)) {
              found.add(reading.reviewed(change));
            }
          }
          return new Listing(found, all.truncated());
        });
  }

  /** Keeps what files were before they were changed, while the host's still say so. */
  public void keepBases(Subject subject) {
    boolean _ =
        reading(
            subject,
            reading -> {
              reading.keepBases(reading.changes().changes());
              return true;
            });
  }

  @Override
  public List<Reviewed> between(Subject before, Subject after, List<TreePath> below) {
    return comparing(before, after, both -> both.changes(below));
  }

  @Override
  public byte[] patchBetween(Subject before, Subject after, List<TreePath> below) {
    return comparing(before, after, both -> both.patch(below));
  }

  @FunctionalInterface
  private interface Comparison<T> {
    T of(Between both) throws IOException;
  }

  private <T> T comparing(Subject before, Subject after, Comparison<T> comparison) {
    return reading(
        before,
        then -> {
          try (Reading now = open(after)) {
            return comparison.of(new Between(then, now));
          }
        });
  }

  @Override
  public Optional<byte[]> content(Subject subject, TreePath path, Which which) {
    return reading(subject, reading -> new Contents(reading).find(path, which));
  }

  @Override
  public byte[] patch(Subject subject, List<TreePath> below) {
    return reading(subject, reading -> new Contents(reading).patch(below));
  }

  @Override
  public Report apply(Subject subject, Wish wish) {
    return reading(
        subject, reading -> new Applying(subject.workspace(), reading, journals, wish).apply());
  }

  @Override
  public Optional<Report> undo(Subject subject) {
    return reading(subject, reading -> new Undoing(subject.workspace(), reading, journals).undo());
  }

  @Override
  public Optional<Report> recover(Subject subject) {
    return reading(
        subject, reading -> new Undoing(subject.workspace(), reading, journals).recover());
  }

  @Override
  public List<TreePath> discard(Subject subject, List<TreePath> below, Restorer restorer) {
    return reading(subject, reading -> Discarding.run(reading, below, restorer));
  }
}
