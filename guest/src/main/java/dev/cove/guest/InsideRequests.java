package dev.cove.guest;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;

/**
 * What a sandbox may ask of its host. Whoever asks may be hostile, and so may the agent that passes
 * it on: nothing here has been checked but its length.
 */
@FunctionalInterface
public interface InsideRequests {
  /** For agents that nobody may ask anything through. */
  InsideRequests NONE =
      _ -> {
        throw new CoveException(
            ErrorCode.UNSUPPORTED, "Nobody keeps checkpoints of what this runs in.");
      };

  /**
   * Called on a thread of its own; each link has at most one call at a time.
   *
   * @return the id of the checkpoint that was taken
   * @throws CoveException to refuse; its message is shown inside
   */
  String checkpoint(String name);
}
