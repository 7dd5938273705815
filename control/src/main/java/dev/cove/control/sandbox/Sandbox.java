package dev.cove.control.sandbox;

import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import dev.cove.model.life.LifeRules;
import java.time.Instant;
import java.util.Optional;

/**
 * A sandbox as the ledger knows it.
 *
 * @param parent the sandbox whose state it began with
 * @param endsAt when its life is over, if it is not to live for ever
 * @param usual what the server says of lives where neither it nor its template says anything
 */
public record Sandbox(
    SandboxId id,
    SandboxSpec spec,
    SandboxState state,
    Instant createdAt,
    Optional<SandboxId> parent,
    Optional<Instant> endsAt,
    LifeRules usual) {
  Sandbox in(SandboxState next) {
    return new Sandbox(id, spec, next, createdAt, parent, endsAt, usual);
  }

  Sandbox as(SandboxSpec newSpec) {
    return new Sandbox(id, newSpec, state, createdAt, parent, endsAt, usual);
  }

  Sandbox endingAt(Optional<Instant> newEnd) {
    return new Sandbox(id, spec, state, createdAt, parent, newEnd, usual);
  }

  /** What happens to it by itself: what it says, or its template, or the server. */
  public LifeRules life() {
    return spec.life().over(spec.template().life()).over(usual);
  }

  /** When a life that begins then ends. */
  static Optional<Instant> endOfLife(SandboxSpec spec, LifeRules usual, Instant begin) {
    return spec.life().over(spec.template().life()).over(usual).lifetime().map(begin::plus);
  }
}
