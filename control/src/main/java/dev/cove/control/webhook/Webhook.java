package dev.cove.control.webhook;

import dev.cove.control.event.EventTypes;
import dev.cove.control.project.Scope;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/**
 * An address that is told of events.
 *
 * @param scope whose it is, and so of what it may hear
 * @param generation of its secret
 * @param delivered the event up to which it has heard all that it wants
 * @param dropped dead letters that went because there were too many
 * @param failures in a row, the last of them now
 * @param error why the last attempt failed, when it did
 */
public record Webhook(
    String id,
    Scope scope,
    URI url,
    EventTypes types,
    boolean enabled,
    int generation,
    Instant createdAt,
    long delivered,
    long dropped,
    int failures,
    Optional<String> error) {
  Webhook with(URI newUrl, EventTypes newTypes, boolean nowEnabled, int newGeneration) {
    return new Webhook(
        id,
        scope,
        newUrl,
        newTypes,
        nowEnabled,
        newGeneration,
        createdAt,
        delivered,
        dropped,
        failures,
        error);
  }
}
