package dev.cove.node;

import dev.cove.model.CoveException;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.secret.SecretName;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Values that sandboxes of a node may use and never see. Nothing here gives one back. */
public interface NodeSecrets {
  /** Those of a project, by name. */
  List<Kept> list(ProjectName project);

  boolean has(SecretName name);

  /**
   * Keeps a value; it takes the place of the one before from the next request on.
   *
   * @throws CoveException INVALID_REQUEST when no request could carry it
   */
  Change set(SecretName name, byte[] value);

  /**
   * Forgets a value: it goes into no request any more, also of sandboxes that have it bound.
   *
   * @return whether there was one
   */
  boolean remove(SecretName name);

  /**
   * What every command in a sandbox finds in its environment: what its spec says, the placeholders
   * of its secrets, and where its trusted certificates are when they are not as usual.
   */
  Map<String, String> environment(SandboxId id, SandboxSpec spec);

  /**
   * A secret without its value.
   *
   * @param updatedAt when it got its present value
   */
  record Kept(SecretName name, Instant createdAt, Instant updatedAt) {}

  /**
   * A secret that was set.
   *
   * @param made it was not there before
   */
  record Change(Kept secret, boolean made) {}
}
