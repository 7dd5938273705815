package dev.cove.model;

/** A request that cannot be served here and now. The message is written for the caller. */
public class CoveException extends RuntimeException {
  private final ErrorCode code;

  public CoveException(ErrorCode code, String message) {
    super(message);
    this.code = code;
  }

  public CoveException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }
}
