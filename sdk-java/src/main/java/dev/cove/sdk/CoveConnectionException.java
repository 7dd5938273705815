package dev.cove.sdk;

/** The server could not be found or reached, or hung up, or did not speak Cove's language. */
public final class CoveConnectionException extends CoveException {
  public CoveConnectionException(String message) {
    super(message, null);
  }

  public CoveConnectionException(String message, Throwable cause) {
    super(message, cause);
  }
}
