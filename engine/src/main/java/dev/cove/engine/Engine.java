package dev.cove.engine;

import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.Tier;
import java.util.Optional;
import java.util.Set;

/**
 * Builds cages of one tier on this host. Safe for use by many threads. What cages stand on is in a
 * {@link Store}, which all engines of a host share.
 *
 * <p>Cages outlive the engine object and its process: {@link #close} leaves them running, and a new
 * engine on the same folders finds them with {@link #present} and {@link #adopt}.
 */
public interface Engine extends AutoCloseable {
  Tier tier();

  /**
   * Tells what each cage has used in all, after its last process has ended and before what counted
   * it goes: also of cages that an earlier engine object started. Until it returns, the figures can
   * be read again. Must not throw. Set before anything else.
   */
  void onEnd(EndListener listener);

  /** Hears what a cage has used in all. */
  @FunctionalInterface
  interface EndListener {
    void ended(SandboxId id, CageCount count);
  }

  /** What this host lets the engine promise. */
  EngineReport report();

  /**
   * Builds a cage and starts the agent in it. When it throws, nothing of the cage is left.
   *
   * @throws EngineException naming the step that failed
   */
  Cage start(CagePlan plan);

  /**
   * A cage that an earlier engine object started and that still runs. It is thawed: the engine may
   * have died while it made a layer.
   */
  Optional<Cage> adopt(SandboxId id);

  /** The same for a cage that is to stand still, which it does without a break. */
  Optional<Cage> adoptPaused(SandboxId id);

  /**
   * Ends whatever runs of a sandbox and keeps what it has written, on the disk.
   *
   * @return what its files lie over; empty when there are none to go on with, and then nothing of
   *     it is left
   */
  Optional<RootFs> halt(SandboxId id);

  /**
   * Builds a cage again on the files of one with the same id that was halted. When it throws, the
   * files are as they were.
   *
   * @param plan its root has the sealed layers that {@link #halt} told of
   * @throws EngineException LAYER_DAMAGED when the files cannot be used any more
   */
  Cage restart(CagePlan plan);

  /** Whether cages can have workspaces; where not, a plan with some is UNSUPPORTED. */
  default boolean offersWorkspaces() {
    return false;
  }

  /**
   * What a sandbox, in whatever state, has written to its workspaces up to now.
   *
   * @throws EngineException UNSUPPORTED where the engine has no workspaces
   */
  default Writings writings(SandboxId id) {
    throw noWorkspaces();
  }

  /** What the sealed layers of a root hold of the same. */
  default Writings writings(RootFs root) {
    throw noWorkspaces();
  }

  private static EngineException noWorkspaces() {
    return new EngineException(
        ErrorCode.UNSUPPORTED, "Sandboxes of this tier cannot have folders of the host");
  }

  /** Every sandbox of which anything is left on this host: process, cgroup, socket or folder. */
  Set<SandboxId> present();

  /** Ends and removes whatever {@link #present} found of a sandbox. Does nothing if it is gone. */
  void remove(SandboxId id);

  /** What the writable part of a sandbox takes on the host's disk. */
  long diskBytes(SandboxId id);

  @Override
  void close();
}
