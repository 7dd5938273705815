package dev.cove.egress.secret;

import java.io.IOException;

/** What is kept of secrets can not be used; the message says what to do. */
public final class VaultException extends IOException {
  VaultException(String message) {
    super(message);
  }

  VaultException(String message, Throwable cause) {
    super(message, cause);
  }
}
