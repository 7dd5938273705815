package dev.cove.model.network;

/**
 * What is set about a sandbox's network.
 *
 * @param attended whether somebody answers when the policy says to ask; a connection waits for him
 *     then, and is refused at once otherwise
 */
public record NetworkSettings(NetworkPolicy policy, boolean attended) {
  public static final NetworkSettings NOTHING = new NetworkSettings(NetworkPolicy.NOTHING, false);

  public NetworkSettings with(NetworkPolicy newPolicy) {
    return new NetworkSettings(newPolicy, attended);
  }
}
