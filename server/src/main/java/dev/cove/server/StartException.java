package dev.cove.server;

/** The server cannot start, for a reason that a person can mend. The message says how. */
final class StartException extends RuntimeException {
  StartException(String message) {
    super(message);
  }

  StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
