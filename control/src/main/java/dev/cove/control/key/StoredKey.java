package dev.cove.control.key;

import java.time.Instant;
import java.util.Optional;

/** A key as it is kept. */
final class StoredKey {
  /** Matches nothing that anybody can present: no SHA-256 is all zeros, as far as anyone knows. */
  static final StoredKey NOBODYS =
      new StoredKey(
          new ApiKey(
              "",
              "",
              Optional.empty(),
              "",
              Instant.EPOCH,
              Optional.empty(),
              Optional.of(Instant.EPOCH)),
          new byte[32]);

  private final ApiKey key;
  private final byte[] hash;

  StoredKey(ApiKey key, byte[] hash) {
    this.key = key;
    this.hash = hash;
  }

  ApiKey key() {
    return key;
  }

  byte[] hash() {
    return hash;
  }

  StoredKey used(Instant at) {
    return new StoredKey(key.used(at), hash);
  }

  StoredKey revoked(Instant at) {
    return new StoredKey(key.revoked(at), hash);
  }
}
