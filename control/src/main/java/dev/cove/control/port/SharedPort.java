package dev.cove.control.port;

import java.time.Instant;
import java.util.Optional;

/**
 * What may be told of a port's setting.
 *
 * @param expiresAt when it is private again
 */
public record SharedPort(
    PortAddress address, PortAccess access, Instant createdAt, Optional<Instant> expiresAt) {}
