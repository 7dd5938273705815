package dev.cove.control.sandbox;

/**
 * What a create came to.
 *
 * @param replayed an earlier request with the same idempotency key had made it
 */
public record Created(Sandbox sandbox, boolean replayed) {}
