package dev.cove.node;

import dev.cove.engine.EngineReport;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import java.util.Map;
import java.util.Set;

/**
 * One machine that runs sandboxes. Control decides, a node carries out.
 *
 * <p>An interface because it is a trust boundary: control may come to sit on another machine.
 */
public interface Node extends AutoCloseable {
  /**
   * Brings world and ledger together after a start: adopts what still runs, removes what the ledger
   * does not know. Called once, before anything else.
   *
   * @param expected the sandboxes that the ledger says have something on this host
   * @return those that run and are adopted; the others are lost, and nothing of them is left
   */
  Set<SandboxId> recover(Map<SandboxId, SandboxSpec> expected);

  /** Tells when a running sandbox ends without having been asked to. Set before recover. */
  void onLost(LostListener listener);

  /**
   * Finds room for a sandbox and gives it an id. Either {@link #start} or {@link #remove} must
   * follow.
   *
   * @throws CoveException NO_ROOM when the machine is full, UNSUPPORTED when this host cannot give
   *     what the spec asks for, INVALID_REQUEST for an unknown template
   */
  Reservation reserve(SandboxSpec spec);

  /** Makes a reserved sandbox run. Returns when its agent has answered. */
  void start(SandboxId id, SandboxSpec spec);

  /** Ends a sandbox and removes everything of it. Does nothing if there is none. */
  void remove(SandboxId id);

  /**
   * The agent of a running sandbox.
   *
   * @throws CoveException CONFLICT when it does not run, GUEST_UNREACHABLE when it does not answer
   */
  Guest guest(SandboxId id);

  SandboxMetrics metrics(SandboxId id);

  /**
   * How many processes of a sandbox the kernel has killed at its memory limit, ever. Cheap: a
   * command that ended by SIGKILL while this grew ran out of memory.
   */
  long oomKills(SandboxId id);

  /** Capacity and what is in use, for operators. */
  NodeStatus status();

  EngineReport engineReport();

  /** Lets go of everything and leaves the sandboxes running. */
  @Override
  void close();

  /**
   * A place for a sandbox.
   *
   * @param warm its cage stands already and has the right limits
   */
  record Reservation(SandboxId id, boolean warm) {}

  /** Hears that a sandbox has ended by itself. */
  @FunctionalInterface
  interface LostListener {
    /**
     * @param reason for people, such as "out of memory"
     */
    void lost(SandboxId id, String reason);
  }
}
