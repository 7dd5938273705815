package dev.cove.node.secret;

import dev.cove.egress.secret.Vault;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.node.NodeSecrets;
import dev.cove.node.trust.SandboxTrust;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The secrets in this process's vault. */
public final class LocalSecrets implements NodeSecrets {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSecrets.class);

  private final Vault vault;
  private final Predicate<NetworkSettings> looksIntoTls;

  /**
   * @param looksIntoTls whether programs must trust the gateway for those settings
   */
  public LocalSecrets(Vault vault, Predicate<NetworkSettings> looksIntoTls) {
    this.vault = vault;
    this.looksIntoTls = looksIntoTls;
  }

  @Override
  public List<Kept> list(ProjectName project) {
    return vault.list(project).stream().map(LocalSecrets::kept).toList();
  }

  @Override
  public boolean has(SecretName name) {
    return vault.contains(name);
  }

  @Override
  public Change set(SecretName name, byte[] value) {
    try {
      boolean there = vault.contains(name);
      Vault.Entry entry = vault.set(name, value);
      LOG.info("secret {}: set", name);
      return new Change(kept(entry), !there);
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  @Override
  public boolean remove(SecretName name) {
    try {
      boolean there = vault.remove(name);
      if (there) {
        LOG.info("secret {}: removed", name);
      }
      return there;
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  private static CoveException unwritable(IOException e) {
    return new CoveException(
        ErrorCode.UNAVAILABLE, "The server's secrets cannot be written: " + e.getMessage(), e);
  }

  @Override
  public Map<String, String> environment(SandboxId id, SandboxSpec spec) {
    NetworkSettings network = spec.network();
    if (!looksIntoTls.test(network)) {
      return spec.env();
    }
    var all = new HashMap<>(SandboxTrust.variables());
    all.putAll(spec.env());
    for (SecretBinding binding : network.secrets()) {
      if (!binding.env().isEmpty()) {
        all.put(binding.env(), vault.placeholder(binding.secret()));
      }
    }
    return Collections.unmodifiableMap(all);
  }

  private static Kept kept(Vault.Entry entry) {
    return new Kept(entry.name(), entry.createdAt(), entry.updatedAt());
  }
}
