package dev.cove.control.project;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import java.time.Duration;

/** A project has as much as it may have. */
public final class QuotaExceededException extends CoveException {
  private final Duration retryAfter;

  public QuotaExceededException(
      ProjectName project, Quota quota, long limit, long used, long wanted, Duration retryAfter) {
    super(
        ErrorCode.QUOTA_EXCEEDED,
        "Project %s has a quota of %s for %s, uses %s of it and would need %s more; free some, or have an operator raise it."
            .formatted(
                project,
                quota.text(limit),
                quota.publicName(),
                quota.text(used),
                quota.text(wanted)));
    this.retryAfter = retryAfter;
  }

  /** When it may be worth another try. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
