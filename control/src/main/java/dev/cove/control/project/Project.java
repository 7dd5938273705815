package dev.cove.control.project;

import dev.cove.model.ProjectName;
import dev.cove.model.Tier;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A tenant: what is one's is nobody else's.
 *
 * @param quotas how much it may have; as much as there is where nothing is said
 * @param tier what its sandboxes get when nobody names one; the server's usual one when empty
 */
public record Project(
    ProjectName name, Instant createdAt, Map<Quota, Long> quotas, Optional<Tier> tier) {
  public Project {
    quotas = Map.copyOf(quotas);
  }
}
