package dev.cove.node;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.Workspace;
import dev.cove.review.tree.TreePath;
import java.util.List;
import java.util.Optional;

/** Of a node on whose host nobody has folders. */
final class NoWorkspaces implements NodeWorkspaces {
  static final NodeWorkspaces HERE = new NoWorkspaces();

  private NoWorkspaces() {}

  private static CoveException none() {
    return new CoveException(ErrorCode.UNSUPPORTED, "This node has no projects of its host.");
  }

  @Override
  public void require(List<Workspace> wanted) {
    if (!wanted.isEmpty()) {
      throw none();
    }
  }

  @Override
  public void inherit(SandboxId from, SandboxId to) {
    // there is nothing to know
  }

  @Override
  public List<TreePath> hidden(SandboxId id, Workspace workspace) {
    return List.of();
  }

  @Override
  public Listing changes(Subject subject, List<TreePath> below) {
    throw none();
  }

  @Override
  public List<Reviewed> between(Subject before, Subject after, List<TreePath> below) {
    throw none();
  }

  @Override
  public byte[] patchBetween(Subject before, Subject after, List<TreePath> below) {
    throw none();
  }

  @Override
  public Optional<byte[]> content(Subject subject, TreePath path, Which which) {
    throw none();
  }

  @Override
  public byte[] patch(Subject subject, List<TreePath> below) {
    throw none();
  }

  @Override
  public Report apply(Subject subject, Wish wish) {
    throw none();
  }

  @Override
  public Optional<Report> undo(Subject subject) {
    throw none();
  }

  @Override
  public Optional<Report> recover(Subject subject) {
    throw none();
  }

  @Override
  public List<TreePath> discard(Subject subject, List<TreePath> below, Restorer restorer) {
    throw none();
  }
}
