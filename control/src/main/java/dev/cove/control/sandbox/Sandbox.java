package dev.cove.control.sandbox;

import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import java.time.Instant;
import java.util.Optional;

/**
 * A sandbox as the ledger knows it.
 *
 * @param parent the sandbox whose state it began with
 */
public record Sandbox(
    SandboxId id,
    SandboxSpec spec,
    SandboxState state,
    Instant createdAt,
    Optional<SandboxId> parent) {
  Sandbox in(SandboxState next) {
    return new Sandbox(id, spec, next, createdAt, parent);
  }

  Sandbox as(SandboxSpec newSpec) {
    return new Sandbox(id, newSpec, state, createdAt, parent);
  }
}
