package dev.cove.edge.exec;

import dev.cove.guest.CommandExit;
import dev.cove.model.SandboxId;
import dev.cove.node.Node;

/** Tells a command that the kernel ended for want of memory from one that somebody killed. */
public final class OomWatch {
  private final Node node;
  private final SandboxId sandbox;
  private final long before;

  private OomWatch(Node node, SandboxId sandbox, long before) {
    this.node = node;
    this.sandbox = sandbox;
    this.before = before;
  }

  /** To be called before the command starts. */
  public static OomWatch start(Node node, SandboxId sandbox) {
    return new OomWatch(node, sandbox, node.oomKills(sandbox));
  }

  public boolean killed(CommandExit exit) {
    return exit.signal() == Signals.KILL && !exit.timedOut() && node.oomKills(sandbox) > before;
  }
}
