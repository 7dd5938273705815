package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.model.CheckpointId;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.Workspace;
import dev.cove.model.file.ByteText;
import dev.cove.node.Node;
import dev.cove.node.NodeWorkspaces;
import dev.cove.node.NodeWorkspaces.Report;
import dev.cove.node.NodeWorkspaces.Reviewed;
import dev.cove.node.NodeWorkspaces.Subject;
import dev.cove.node.NodeWorkspaces.Which;
import dev.cove.node.NodeWorkspaces.Wish;
import dev.cove.review.tree.TreePath;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiFunction;

/**
 * What sandboxes changed in folders of the host, and what becomes of it. Safe for use by many
 * threads; while one looks, its sandbox does not come, go or rest.
 */
public final class Reviews {
  /** Whose files a folder's are inside. */
  private static final String USER = "1000";

  private final SandboxLifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final Branches branches;
  private final Layers layers;
  private final CommandLog log;
  private final Node node;

  public Reviews(
      SandboxLifecycle lifecycle,
      Checkpoints checkpoints,
      Branches branches,
      Layers layers,
      CommandLog log,
      Node node) {
    this.lifecycle = lifecycle;
    this.checkpoints = checkpoints;
    this.branches = branches;
    this.layers = layers;
    this.log = log;
    this.node = node;
  }

  /** A change, and in which folder. */
  public record Located(Workspace workspace, Reviewed reviewed) {}

  /**
   * Changes, the most dangerous of each folder first.
   *
   * @param truncated whether there are more than can be listed
   */
  public record Listing(List<Located> changes, boolean truncated) {
    public Listing {
      changes = List.copyOf(changes);
    }
  }

  /** Folders that a sandbox has, and what is hidden in each. */
  public record Hidden(Workspace workspace, List<TreePath> paths) {}

  private NodeWorkspaces workspaces() {
    return node.workspaces();
  }

  /**
   * @param target of the folder; all of them where none is given
   */
  public Listing changes(String idOrName, Optional<String> target, List<TreePath> below) {
    return lifecycle.saying(
        idOrName,
        sandbox -> {
          var all = new ArrayList<Located>();
          boolean truncated = false;
          for (Workspace workspace : select(sandbox, target)) {
            if (!workspace.readOnly()) {
              var listing = workspaces().changes(new Subject(sandbox.id(), workspace), below);
              listing.changes().forEach(one -> all.add(new Located(workspace, one)));
              truncated |= listing.truncated();
            }
          }
          return new Listing(all, truncated);
        });
  }

  public List<Hidden> hidden(Sandbox sandbox) {
    return sandbox.spec().workspaces().stream()
        .map(workspace -> new Hidden(workspace, workspaces().hidden(sandbox.id(), workspace)))
        .toList();
  }

  /** The first of all that is hidden. */
  public List<TreePath> hiddenPaths(String idOrName, int limit) {
    return hidden(lifecycle.require(idOrName)).stream()
        .flatMap(one -> one.paths().stream())
        .limit(limit)
        .toList();
  }

  /**
   * How a sandbox's folders differ between two commands.
   *
   * @param from the state before this one
   * @param to the state before that one, or now
   */
  public Listing between(
      String idOrName,
      Optional<String> target,
      int from,
      Optional<Integer> to,
      List<TreePath> below) {
    return lifecycle.saying(
        idOrName,
        sandbox ->
            layers.using(() -> {
              Checkpoint then = before(sandbox, from);
              Optional<Checkpoint> end = to.map(number -> before(sandbox, number));
              var all = new ArrayList<Located>();
              for (Workspace workspace : select(sandbox, target)) {
                all.addAll(between(sandbox, workspace, then, end, below));
              }
              return new Listing(all, false);
            }));
  }

  private List<Located> between(
      Sandbox sandbox,
      Workspace workspace,
      Checkpoint from,
      Optional<Checkpoint> to,
      List<TreePath> below) {
    if (workspace.readOnly()) {
      return List.of();
    }
    var now = new Subject(sandbox.id(), workspace);
    Subject after = to.map(one -> now.in(one.layers())).orElse(now);
    return workspaces().between(now.in(from.layers()), after, below).stream()
        .map(one -> new Located(workspace, one))
        .toList();
  }

  private Checkpoint before(Sandbox sandbox, int number) {
    return checkpoints.require(log.require(sandbox.id(), number).checkpoint().value());
  }

  public byte[] patchBetween(
      String idOrName,
      Optional<String> target,
      int from,
      Optional<Integer> to,
      List<TreePath> below) {
    return lifecycle.saying(
        idOrName,
        sandbox ->
            layers.using(() -> {
              var now = new Subject(sandbox.id(), only(sandbox, target));
              return workspaces()
                  .patchBetween(
                      now.in(before(sandbox, from).layers()),
                      to.map(number -> now.in(before(sandbox, number).layers())).orElse(now),
                      below);
            }));
  }

  /** A file as it was before a command. */
  public Optional<byte[]> contentBefore(
      String idOrName, Optional<String> target, TreePath path, int number) {
    return lifecycle.saying(
        idOrName,
        sandbox ->
            layers.using(() -> {
              var now = new Subject(sandbox.id(), only(sandbox, target));
              return workspaces()
                  .content(now.in(before(sandbox, number).layers()), path, Which.SANDBOX);
            }));
  }

  /** A command, and how many paths of the sandbox's folders it changed. */
  public record Effect(CommandLog.Recorded command, int added, int changed, int deleted) {}

  /** The last so many commands, the oldest first. */
  public List<Effect> commands(String idOrName, int limit) {
    return lifecycle.saying(
        idOrName,
        sandbox ->
            layers.using(() -> {
              List<CommandLog.Recorded> all = log.last(sandbox.id(), limit);
              var effects = new ArrayList<Effect>();
              for (int i = 0; i < all.size(); i++) {
                Optional<CheckpointId> end =
                    i + 1 < all.size()
                        ? Optional.of(all.get(i + 1).checkpoint())
                        : Optional.empty();
                effects.add(effect(sandbox, all.get(i), end));
              }
              return effects;
            }));
  }

  private Effect effect(Sandbox sandbox, CommandLog.Recorded command, Optional<CheckpointId> end) {
    int added = 0;
    int changed = 0;
    int deleted = 0;
    if (end.filter(command.checkpoint()::equals).isEmpty()) {
      Checkpoint from = checkpoints.require(command.checkpoint().value());
      Optional<Checkpoint> to = end.map(id -> checkpoints.require(id.value()));
      for (Workspace workspace : sandbox.spec().workspaces()) {
        for (Located one : between(sandbox, workspace, from, to, List.of())) {
          switch (one.reviewed().change().kind()) {
            case ADDED -> added++;
            case DELETED -> deleted++;
            case CHANGED, MODE, TYPE, RENAMED -> changed++;
          }
        }
      }
    }
    return new Effect(command, added, changed, deleted);
  }

  /** Takes a sandbox back to before a command; gives the state that it had. */
  public Checkpoint rewind(String idOrName, int number) {
    Sandbox sandbox = lifecycle.require(idOrName);
    CommandLog.Recorded command = log.require(sandbox.id(), number);
    return branches.restore(sandbox.id().value(), command.checkpoint().value()).undo();
  }

  public Optional<byte[]> content(
      String idOrName, Optional<String> target, TreePath path, Which which) {
    return one(
        idOrName,
        target,
        (id, workspace) -> workspaces().content(new Subject(id, workspace), path, which));
  }

  public byte[] patch(String idOrName, Optional<String> target, List<TreePath> below) {
    return one(
        idOrName, target, (id, workspace) -> workspaces().patch(new Subject(id, workspace), below));
  }

  public Report apply(String idOrName, Optional<String> target, Wish wish) {
    return one(
        idOrName, target, (id, workspace) -> workspaces().apply(new Subject(id, workspace), wish));
  }

  public Report undo(String idOrName, Optional<String> target) {
    return one(
        idOrName,
        target,
        (id, workspace) ->
            workspaces()
                .undo(new Subject(id, workspace))
                .orElseThrow(() ->
                    new CoveException(
                        ErrorCode.CONFLICT,
                        "Nothing was applied to %s that could be undone."
                            .formatted(workspace.path()))));
  }

  public Optional<Report> recover(String idOrName, Optional<String> target) {
    return one(
        idOrName, target, (id, workspace) -> workspaces().recover(new Subject(id, workspace)));
  }

  /**
   * What was discarded.
   *
   * @param undo the state before
   */
  public record Discarded(List<TreePath> paths, Checkpoint undo) {}

  /** Puts the host's versions into a sandbox again, which is woken for it. */
  public Discarded discard(String idOrName, Optional<String> target, List<TreePath> below) {
    Sandbox awake = lifecycle.awake(idOrName);
    return lifecycle.tending(
        awake.id().value(),
        sandbox -> {
          Workspace workspace = only(sandbox, target);
          Checkpoint undo =
              checkpoints.take(sandbox.id(), sandbox.spec(), "", Checkpoint.Reason.BEFORE_RESTORE);
          GuestFiles files = node.guest(sandbox.id()).files(USER);
          var subject = new Subject(sandbox.id(), workspace);
          return new Discarded(
              workspaces().discard(subject, below, new Inside(workspace, files)), undo);
        });
  }

  /** In the sandbox, with the rights of its user. */
  private record Inside(Workspace workspace, GuestFiles files) implements NodeWorkspaces.Restorer {
    private String at(TreePath path) {
      if (!ByteText.isUnicode(path.text())) {
        throw new CoveException(
            ErrorCode.UNSUPPORTED,
            "%s has a name that is not UTF-8; remove it in the sandbox.".formatted(path));
      }
      return workspace.target() + "/" + path.text();
    }

    @Override
    public void remove(TreePath path) {
      try {
        files.remove(at(path), true);
      } catch (GuestException e) {
        if (e.code() != ErrorCode.NOT_FOUND) {
          throw e;
        }
      }
    }

    @Override
    public void folder(TreePath path, int mode) {
      files.mkdir(at(path), mode, true);
    }

    @Override
    public void file(TreePath path, int mode, InputStream content) {
      files.write(at(path), content, OptionalInt.of(mode), true);
      files.chmod(at(path), mode);
    }

    @Override
    public void link(TreePath path, String target) {
      files.symlink(at(path), target);
    }
  }

  private <T> T one(
      String idOrName, Optional<String> target, BiFunction<SandboxId, Workspace, T> work) {
    return lifecycle.saying(idOrName, sandbox -> work.apply(sandbox.id(), only(sandbox, target)));
  }

  private static Workspace only(Sandbox sandbox, Optional<String> target) {
    List<Workspace> found = select(sandbox, target);
    if (found.size() > 1) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "The sandbox has %d projects; say which by its target: project=%s."
              .formatted(found.size(), found.getFirst().target()));
    }
    return found.getFirst();
  }

  private static List<Workspace> select(Sandbox sandbox, Optional<String> target) {
    List<Workspace> all = sandbox.spec().workspaces();
    if (all.isEmpty()) {
      throw new CoveException(
          ErrorCode.CONFLICT, "The sandbox has no project; give it one when it is created.");
    }
    List<Workspace> found =
        all.stream().filter(one -> target.isEmpty() || one.target().equals(target.get())).toList();
    if (found.isEmpty()) {
      throw new CoveException(ErrorCode.NOT_FOUND, "The sandbox has no project at that target.");
    }
    return found;
  }
}
