package dev.cove.edge.http;

import java.util.function.BooleanSupplier;

/** Whoever holds the key that a request came with. */
public final class Caller {
  private final String keyId;
  private final BooleanSupplier stillValid;

  Caller(String keyId, BooleanSupplier stillValid) {
    this.keyId = keyId;
    this.stillValid = stillValid;
  }

  public String keyId() {
    return keyId;
  }

  /** False once the key is revoked: streams that outlive their request ask from time to time. */
  public boolean isStillValid() {
    return stillValid.getAsBoolean();
  }
}
