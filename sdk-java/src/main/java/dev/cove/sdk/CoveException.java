package dev.cove.sdk;

import org.jspecify.annotations.Nullable;

/** A call to Cove did not succeed. */
public abstract sealed class CoveException extends RuntimeException
    permits CoveApiException, CoveConnectionException {
  CoveException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
