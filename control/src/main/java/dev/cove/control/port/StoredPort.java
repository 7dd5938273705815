package dev.cove.control.port;

import java.security.MessageDigest;
import java.time.Instant;

/** A setting as it is kept. */
final class StoredPort {
  private final SharedPort port;
  private final byte[] secretHash;
  private final byte[] linkKey;

  /**
   * @param secretHash empty where access needs no secret
   */
  StoredPort(SharedPort port, byte[] secretHash, byte[] linkKey) {
    this.port = port;
    this.secretHash = secretHash;
    this.linkKey = linkKey;
  }

  SharedPort port() {
    return port;
  }

  byte[] secretHash() {
    return secretHash;
  }

  byte[] linkKey() {
    return linkKey;
  }

  boolean hasExpired(Instant now) {
    return port.expiresAt().filter(end -> !now.isBefore(end)).isPresent();
  }

  boolean isOpenedBy(String secret) {
    return MessageDigest.isEqual(PortSecret.hash(secret), secretHash);
  }
}
