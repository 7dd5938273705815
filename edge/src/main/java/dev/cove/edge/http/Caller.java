package dev.cove.edge.http;

import dev.cove.model.ProjectName;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Whoever holds the key that a request came with. */
public final class Caller {
  private final String keyId;
  private final Optional<ProjectName> project;
  private final BooleanSupplier stillValid;

  Caller(String keyId, Optional<ProjectName> project, BooleanSupplier stillValid) {
    this.keyId = keyId;
    this.project = project;
    this.stillValid = stillValid;
  }

  public String keyId() {
    return keyId;
  }

  /** Whose key it is; nobody's for one of operators. */
  public Optional<ProjectName> project() {
    return project;
  }

  /** False once the key is revoked: streams that outlive their request ask from time to time. */
  public boolean isStillValid() {
    return stillValid.getAsBoolean();
  }
}
