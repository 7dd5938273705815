package dev.cove.model.network;

import java.util.Optional;

/**
 * What is set about a sandbox's network.
 *
 * @param attended whether somebody answers when the policy says to ask; a connection waits for him
 *     then, and is refused at once otherwise
 * @param membership the group that it is in
 */
public record NetworkSettings(
    NetworkPolicy policy,
    boolean attended,
    NetworkLimits limits,
    Optional<GroupMembership> membership) {
  public static final NetworkSettings NOTHING = new NetworkSettings(NetworkPolicy.NOTHING, false);

  public NetworkSettings(NetworkPolicy policy, boolean attended) {
    this(policy, attended, NetworkLimits.NONE, Optional.empty());
  }

  public NetworkSettings with(NetworkPolicy newPolicy) {
    return new NetworkSettings(newPolicy, attended, limits, membership);
  }

  public NetworkSettings with(NetworkLimits newLimits) {
    return new NetworkSettings(policy, attended, newLimits, membership);
  }

  public NetworkSettings in(Optional<GroupMembership> newMembership) {
    return new NetworkSettings(policy, attended, limits, newMembership);
  }

  /** The same for a sandbox of that name. */
  public NetworkSettings of(String sandbox) {
    return in(membership.map(group -> group.of(sandbox)));
  }
}
