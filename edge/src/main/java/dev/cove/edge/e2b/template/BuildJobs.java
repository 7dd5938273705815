package dev.cove.edge.e2b.template;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.LinkedHashMap;
import java.util.Map;

/** The builds that clients ask about. The oldest are forgotten, and all when the server ends. */
final class BuildJobs {
  private static final int MOST = 256;

  private final Map<String, BuildJob> jobs =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, BuildJob> eldest) {
          return size() > MOST;
        }
      };

  synchronized void add(BuildJob job) {
    jobs.put(job.id(), job);
  }

  synchronized BuildJob require(String template, String id) {
    BuildJob job = jobs.get(id);
    if (job == null || !job.isVisible() || !job.template().equals(template)) {
      throw new CoveException(ErrorCode.NOT_FOUND, "Build '%.64s' not found".formatted(id));
    }
    return job;
  }
}
