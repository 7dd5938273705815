package dev.cove.control.key;

import java.time.Instant;
import java.util.Optional;

/** What may be told of a key after it was issued. */
public record ApiKey(
    String id,
    String name,
    String last4,
    Instant createdAt,
    Optional<Instant> lastUsedAt,
    Optional<Instant> revokedAt) {}
