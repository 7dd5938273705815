package dev.cove.edge.checkpoint;

import dev.cove.control.checkpoint.Checkpoint;
import java.time.Instant;
import java.util.Optional;

/** A checkpoint as callers see it. */
record CheckpointBody(
    String id,
    String sandbox,
    String name,
    String reason,
    Instant createdAt,
    String template,
    long bytes,
    double frozenMs,
    boolean copied,
    boolean memory,
    int layers,
    Optional<String> digest) {
  static CheckpointBody of(Checkpoint checkpoint, Optional<String> digest) {
    return new CheckpointBody(
        checkpoint.id().value(),
        checkpoint.sandbox().value(),
        checkpoint.name(),
        checkpoint.reason().publicName(),
        checkpoint.createdAt(),
        checkpoint.template().name(),
        checkpoint.bytes(),
        checkpoint.frozen().toNanos() / 1_000_000.0,
        checkpoint.copied(),
        false,
        checkpoint.layers().size(),
        digest);
  }
}
