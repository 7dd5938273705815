package dev.cove.engine;

/** How a cage ended. */
public enum CageExit {
  /** {@link Cage#destroy} or {@link Engine#remove} asked for it. */
  DESTROYED,
  /** The kernel killed the agent because the sandbox was out of memory. */
  OUT_OF_MEMORY,
  /** The agent ended by itself or was killed. */
  AGENT_GONE
}
