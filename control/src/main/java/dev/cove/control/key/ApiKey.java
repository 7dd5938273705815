package dev.cove.control.key;

import dev.cove.model.ProjectName;
import java.time.Instant;
import java.util.Optional;

/**
 * What may be told of a key after it was issued.
 *
 * @param project where it acts; none for an operator's
 */
public record ApiKey(
    String id,
    String name,
    Optional<ProjectName> project,
    String last4,
    Instant createdAt,
    Optional<Instant> lastUsedAt,
    Optional<Instant> revokedAt) {
  ApiKey used(Instant at) {
    return new ApiKey(id, name, project, last4, createdAt, Optional.of(at), revokedAt);
  }

  ApiKey revoked(Instant at) {
    return new ApiKey(id, name, project, last4, createdAt, lastUsedAt, Optional.of(at));
  }
}
