package dev.cove.node;

import dev.cove.model.CoveException;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import dev.cove.model.Workspace;
import dev.cove.review.apply.ApplyPlan;
import dev.cove.review.apply.Content;
import dev.cove.review.apply.Resolution;
import dev.cove.review.change.Change;
import dev.cove.review.tree.TreePath;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Folders of a node's host in sandboxes. Nothing of the host changes but by {@link #apply} and
 * {@link #undo}, which can do no more than whoever the folder belongs to.
 *
 * <p>The caller sees to it that a sandbox does not come, go or rest meanwhile.
 */
public interface NodeWorkspaces {
  /**
   * Refuses folders that no sandbox can have here.
   *
   * @throws CoveException INVALID_REQUEST, naming the folder and what is wrong with it
   */
  void require(List<Workspace> wanted);

  /** What a new sandbox must know of the one whose files it begins with. */
  void inherit(SandboxId from, SandboxId to);

  /** What is hidden in a folder, as it was found when the sandbox last started. */
  List<TreePath> hidden(SandboxId id, Workspace workspace);

  /**
   * A folder in a sandbox.
   *
   * @param layers its state in these layers; as it is now where none are given
   */
  record Subject(SandboxId id, Workspace workspace, Optional<List<LayerId>> layers) {
    public Subject(SandboxId id, Workspace workspace) {
      this(id, workspace, Optional.empty());
    }

    public Subject in(List<LayerId> newLayers) {
      return new Subject(id, workspace, Optional.of(newLayers));
    }
  }

  /** A change, with where links lead. */
  record Reviewed(Change change, Optional<String> linkBefore, Optional<String> linkAfter) {}

  /**
   * What a sandbox changed, the most dangerous first.
   *
   * @param truncated whether there is more than can be listed, and perhaps more dangerous
   */
  record Listing(List<Reviewed> changes, boolean truncated) {
    public Listing {
      changes = List.copyOf(changes);
    }
  }

  /**
   * What the sandbox changed.
   *
   * @param below paths of interest and what is below them; none for all
   */
  Listing changes(Subject subject, List<TreePath> below);

  /** How two states of the same folder in the same sandbox differ. */
  List<Reviewed> between(Subject before, Subject after, List<TreePath> below);

  /** The same as git writes it. */
  byte[] patchBetween(Subject before, Subject after, List<TreePath> below);

  /** Which version of a path. */
  enum Which {
    /** What the sandbox began with, or what was last applied. */
    BASE,
    SANDBOX,
    HOST
  }

  /**
   * The bytes of a file, or where a link leads.
   *
   * @return nothing where that version has neither
   * @throws CoveException CONFLICT where the base is not known, TOO_LARGE, or FORBIDDEN where the
   *     path is hidden
   */
  Optional<byte[]> content(Subject subject, TreePath path, Which which);

  /** All changes as git writes them. */
  byte[] patch(Subject subject, List<TreePath> below);

  /**
   * What is to be applied.
   *
   * @param below paths and what is below them; none for all
   * @param chosen contents that somebody composed, which are taken in place of the sandbox's
   */
  record Wish(
      List<TreePath> below,
      Map<TreePath, Chosen> chosen,
      Resolution resolution,
      boolean rehearsal) {
    public Wish {
      below = List.copyOf(below);
      chosen = Map.copyOf(chosen);
    }
  }

  /**
   * A file that somebody composed.
   *
   * @param sandboxDigest of the sandbox's version that it was made from; empty where there is none
   */
  record Chosen(Content content, String sandboxDigest) {}

  /**
   * What came of an apply.
   *
   * @param id nothing where nothing was done
   */
  record Report(
      Optional<String> id,
      List<TreePath> applied,
      List<TreePath> unchanged,
      List<ApplyPlan.Note> skipped,
      List<ApplyPlan.Note> conflicts) {
    public Report {
      applied = List.copyOf(applied);
      unchanged = List.copyOf(unchanged);
      skipped = List.copyOf(skipped);
      conflicts = List.copyOf(conflicts);
    }
  }

  /** Takes changes over into the host's folder: all of them, or none and the conflicts are told. */
  Report apply(Subject subject, Wish wish);

  /** Takes back what was last applied to the folder; nothing where there is none. */
  Optional<Report> undo(Subject subject);

  /** Ends an apply that was cut short; nothing where there was none. */
  Optional<Report> recover(Subject subject);

  /** Puts versions of the host into a sandbox. */
  interface Restorer {
    void remove(TreePath path);

    void folder(TreePath path, int mode);

    void file(TreePath path, int mode, InputStream content);

    void link(TreePath path, String target);
  }

  /** Tells what must be done in the sandbox to have the host's versions there again. */
  List<TreePath> discard(Subject subject, List<TreePath> below, Restorer restorer);
}
