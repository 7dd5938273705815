package dev.cove.control.sandbox;

import dev.cove.control.project.Scope;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.secret.SecretBinding;
import dev.cove.node.NodeSecrets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What must hold of the secrets that a sandbox is to use. */
final class BoundSecrets {
  private final NodeSecrets kept;

  BoundSecrets(NodeSecrets kept) {
    this.kept = kept;
  }

  /**
   * Refuses to bind what nobody in the caller's project has set: it would be a typing error, and
   * found out late.
   */
  void requireKeptHere(NetworkSettings wanted) {
    requireKept(wanted.of(Scope.here(), "").secrets());
  }

  /** The same for what was not bound before; a secret that was deleted since may stay bound. */
  void requireKept(NetworkSettings before, NetworkSettings wanted) {
    var added = new ArrayList<>(wanted.secrets());
    added.removeAll(before.secrets());
    requireKept(added);
  }

  private void requireKept(List<SecretBinding> bindings) {
    for (SecretBinding binding : bindings) {
      if (!kept.has(binding.secret())) {
        throw new CoveException(
            ErrorCode.INVALID_REQUEST,
            "There is no secret %s; set it first, as with 'cove secret set %s'."
                .formatted(binding.secret().value(), binding.secret().value()));
      }
    }
  }

  /** A variable is not both; and who gives its value himself has mistyped, or not understood. */
  static void requireSaidOnce(Map<String, String> env, NetworkSettings network) {
    for (SecretBinding binding : network.secrets()) {
      if (env.containsKey(binding.env())) {
        throw new IllegalArgumentException(
            "env.%s is given, and is to hold the placeholder of the secret %s as well"
                .formatted(binding.env(), binding.secret().value()));
      }
    }
  }
}
