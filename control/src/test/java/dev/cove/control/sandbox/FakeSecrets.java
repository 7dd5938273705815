package dev.cove.control.sandbox;

import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.secret.SecretName;
import dev.cove.node.NodeSecrets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/** Secrets of which nothing but the names is kept. */
final class FakeSecrets implements NodeSecrets {
  private final Set<SecretName> names = new ConcurrentSkipListSet<>();

  @Override
  public List<Kept> list(ProjectName project) {
    return names.stream()
        .filter(name -> name.project().equals(project))
        .map(name -> new Kept(name, Instant.EPOCH, Instant.EPOCH))
        .toList();
  }

  @Override
  public boolean has(SecretName name) {
    return names.contains(name);
  }

  @Override
  public Change set(SecretName name, byte[] value) {
    return new Change(new Kept(name, Instant.EPOCH, Instant.EPOCH), names.add(name));
  }

  @Override
  public boolean remove(SecretName name) {
    return names.remove(name);
  }

  @Override
  public Map<String, String> environment(SandboxId id, SandboxSpec spec) {
    return spec.env();
  }
}
