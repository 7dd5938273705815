package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.control.view.Comparisons;
import dev.cove.control.view.Comparisons.Pair;
import dev.cove.control.view.Difference;
import dev.cove.control.view.View;
import dev.cove.control.view.Views;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.node.Node;
import java.util.List;

/** Looks into checkpoints and changes nothing. */
public final class Inspection {
  private final SandboxLifecycle lifecycle;
  private final Checkpoints checkpoints;
  private final Layers layers;
  private final Views views;
  private final Comparisons comparisons;
  private final Node node;

  public Inspection(
      SandboxLifecycle lifecycle, Checkpoints checkpoints, Layers layers, Views views, Node node) {
    this.lifecycle = lifecycle;
    this.checkpoints = checkpoints;
    this.layers = layers;
    this.views = views;
    this.comparisons = new Comparisons(views, layers);
    this.node = node;
  }

  /** The files of a checkpoint, as a sandbox that begins with it would find them. */
  public View open(String checkpointId) {
    return layers.using(() -> {
      Checkpoint checkpoint = checkpoints.require(checkpointId);
      return views.open(checkpoint.template().base(), checkpoint.layers());
    });
  }

  /** How the files of one checkpoint became those of another. */
  public Difference compare(String checkpointId, String otherId, int limit) {
    checkpoints.require(checkpointId);
    checkpoints.require(otherId);
    return comparisons.compare(
        opener ->
            opener.open(() -> {
              Checkpoint other = checkpoints.require(otherId);
              return pair(checkpointId, other.template().base(), other.layers());
            }),
        limit);
  }

  /**
   * How the files of a checkpoint became those that a running sandbox has now. The sandbox stands
   * still for the moment in which its layer is copied, and stands on what it stood on.
   */
  public Difference compareWithNow(String checkpointId, String idOrName, int limit) {
    checkpoints.require(checkpointId);
    return comparisons.compare(
        opener ->
            lifecycle.exclusively(
                idOrName, sandbox -> opener.open(() -> pairWithNow(checkpointId, sandbox))),
        limit);
  }

  private Pair pairWithNow(String checkpointId, Sandbox sandbox) {
    Base base = sandbox.spec().template().base();
    requireSameBase(checkpoints.require(checkpointId), base);
    return pair(checkpointId, base, node.copy(sandbox.id()).layers());
  }

  private Pair pair(String checkpointId, Base otherBase, List<LayerId> other) {
    Checkpoint checkpoint = checkpoints.require(checkpointId);
    requireSameBase(checkpoint, otherBase);
    return new Pair(otherBase, checkpoint.layers(), other);
  }

  private static void requireSameBase(Checkpoint checkpoint, Base otherBase) {
    if (checkpoint.template().base() != otherBase) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "The two stand on different bases, so that everything would differ; compare those of one"
              + " template.");
    }
  }
}
