package dev.cove.model.network;

import dev.cove.model.ProjectName;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is set about a sandbox's network.
 *
 * @param attended whether somebody answers when the policy says to ask; a connection waits for him
 *     then, and is refused at once otherwise
 * @param secrets which go out, and where; of two that would be added at the same place the first is
 * @param membership the group that it is in
 */
public record NetworkSettings(
    NetworkPolicy policy,
    boolean attended,
    List<SecretBinding> secrets,
    NetworkLimits limits,
    Optional<GroupMembership> membership) {
  public static final int MAX_SECRETS = 32;
  public static final NetworkSettings NOTHING = new NetworkSettings(NetworkPolicy.NOTHING, false);

  public NetworkSettings {
    secrets = List.copyOf(secrets);
    if (secrets.size() > MAX_SECRETS) {
      throw new IllegalArgumentException(
          "A sandbox has at most %d bindings of secrets".formatted(MAX_SECRETS));
    }
    Map<String, SecretName> variables = new HashMap<>();
    for (SecretBinding binding : secrets) {
      SecretName other = variables.putIfAbsent(binding.env(), binding.secret());
      if (!binding.env().isEmpty() && other != null && !other.equals(binding.secret())) {
        throw new IllegalArgumentException(
            "The variable %s can not stand for two secrets".formatted(binding.env()));
      }
    }
  }

  public NetworkSettings(NetworkPolicy policy, boolean attended) {
    this(policy, attended, List.of(), NetworkLimits.NONE, Optional.empty());
  }

  /** Whether it may take a look into requests, and so into TLS, to do what is set here. */
  public boolean looksIntoTls() {
    return !secrets.isEmpty() || policy.looksAtRequests();
  }

  public NetworkSettings with(NetworkPolicy newPolicy) {
    return new NetworkSettings(newPolicy, attended, secrets, limits, membership);
  }

  public NetworkSettings with(List<SecretBinding> newSecrets) {
    return new NetworkSettings(policy, attended, newSecrets, limits, membership);
  }

  public NetworkSettings with(NetworkLimits newLimits) {
    return new NetworkSettings(policy, attended, secrets, newLimits, membership);
  }

  public NetworkSettings in(Optional<GroupMembership> newMembership) {
    return new NetworkSettings(policy, attended, secrets, limits, newMembership);
  }

  /** The same for a sandbox of that project and name: groups and secrets are those of its own. */
  public NetworkSettings of(ProjectName project, String sandbox) {
    return with(secrets.stream().map(binding -> binding.in(project)).toList())
        .in(membership.map(group -> group.of(project, sandbox)));
  }
}
