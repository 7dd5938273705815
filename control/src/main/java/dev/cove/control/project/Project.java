package dev.cove.control.project;

import dev.cove.model.ProjectName;
import java.time.Instant;
import java.util.Map;

/**
 * A tenant: what is one's is nobody else's.
 *
 * @param quotas how much it may have; as much as there is where nothing is said
 */
public record Project(ProjectName name, Instant createdAt, Map<Quota, Long> quotas) {
  public Project {
    quotas = Map.copyOf(quotas);
  }
}
