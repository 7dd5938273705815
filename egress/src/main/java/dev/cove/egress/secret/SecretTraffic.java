package dev.cove.egress.secret;

import static java.util.Objects.requireNonNull;

import dev.cove.egress.http.Edits;
import dev.cove.egress.http.Fields.Field;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkRule.Request;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The secrets on the way between one connection of a sandbox and its destination. */
public final class SecretTraffic {
  /** What was made of bindings and values, and holds for as long as those are the same. */
  private record Made(
      List<SecretBinding> bindings,
      long version,
      Masks masks,
      Map<SecretName, String> placeholders) {}

  private final Vault vault;
  private final Destination destination;
  private final boolean tls;
  private @Nullable Made made;

  public SecretTraffic(Vault vault, Destination destination, boolean tls) {
    this.vault = vault;
    this.destination = destination;
    this.tls = tls;
  }

  /**
   * What is changed in a request that may go out to the destination, by the bindings and values of
   * this moment; nothing where none of them has to do with it.
   */
  public Optional<Edits> edits(
      List<SecretBinding> bindings, Request request, String target, List<Field> fields) {
    if (bindings.isEmpty()) {
      return Optional.empty();
    }
    Made now = made(bindings);
    var edits = new SecretEdits(target, fields, now.masks());
    for (SecretBinding binding : bindings) {
      if ((tls || binding.plainHttp()) && binding.appliesTo(destination, request)) {
        vault
            .find(binding.secret())
            .ifPresent(value ->
                edits.put(
                    binding.place(),
                    requireNonNull(now.placeholders().get(binding.secret())),
                    value,
                    binding.added()));
      }
    }
    return Optional.of(edits);
  }

  private synchronized Made made(List<SecretBinding> bindings) {
    long version = vault.version();
    Made old = made;
    if (old == null || old.version() != version || !old.bindings().equals(bindings)) {
      var placeholders = new HashMap<SecretName, String>();
      bindings.forEach(
          binding -> placeholders.computeIfAbsent(binding.secret(), vault::placeholder));
      old = new Made(bindings, version, Masks.of(vault, bindings), placeholders);
      made = old;
    }
    return old;
  }
}
