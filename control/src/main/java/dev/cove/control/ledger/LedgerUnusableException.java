package dev.cove.control.ledger;

/**
 * The ledger on disk must not be used; the server refuses to start. The message says what to do.
 */
public final class LedgerUnusableException extends RuntimeException {
  LedgerUnusableException(String message) {
    super(message);
  }

  LedgerUnusableException(String message, Throwable cause) {
    super(message, cause);
  }
}
