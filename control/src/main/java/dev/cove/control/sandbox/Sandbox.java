package dev.cove.control.sandbox;

import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import java.time.Instant;

/** A sandbox as the ledger knows it. */
public record Sandbox(SandboxId id, SandboxSpec spec, SandboxState state, Instant createdAt) {
  Sandbox in(SandboxState next) {
    return new Sandbox(id, spec, next, createdAt);
  }
}
