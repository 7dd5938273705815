package dev.cove.model;

import java.time.Instant;

/** Where a sandbox is in its life. Data lives in the state that has it. */
public sealed interface SandboxState {
  /** Recorded, nothing built yet. */
  record Requested() implements SandboxState {}

  /** The engine is building it. */
  record Starting() implements SandboxState {}

  record Running(Instant since) implements SandboxState {}

  /** Frozen, memory kept. */
  record Paused(PauseReason reason, Instant since) implements SandboxState {}

  /** No process, file system kept. */
  record Stopped(StopReason reason, Instant since) implements SandboxState {}

  /** Its files are lost or damaged; it can only be deleted. */
  record Failed(String reason) implements SandboxState {}

  /** Deleted, but its files are kept until then; its name is free again. */
  record Discarded(Instant since, Instant until) implements SandboxState {}

  /** Being taken apart; its name is free again. */
  record Deleted() implements SandboxState {}

  /** True where the engine has, or may have, something built for this sandbox. */
  default boolean ownsHostResources() {
    return switch (this) {
      case Requested _, Stopped _, Discarded _ -> false;
      case Starting _, Running _, Paused _, Failed _, Deleted _ -> true;
    };
  }

  default boolean canBecome(SandboxState next) {
    return switch (this) {
      case Requested _ -> next instanceof Starting || isEnd(next);
      case Starting _ -> next instanceof Running || next instanceof Stopped || isEnd(next);
      case Running _ -> next instanceof Paused || restsWithoutMemory(next) || isEnd(next);
      case Paused _ -> next instanceof Running || restsWithoutMemory(next) || isEnd(next);
      case Stopped _ -> next instanceof Starting || restsWithoutMemory(next) || isEnd(next);
      case Discarded _ -> next instanceof Stopped || next instanceof Deleted;
      case Failed _ -> next instanceof Deleted;
      case Deleted _ -> false;
    };
  }

  /** The word that API and ledger use. */
  default String publicName() {
    return switch (this) {
      case Requested _ -> "requested";
      case Starting _ -> "starting";
      case Running _ -> "running";
      case Paused _ -> "paused";
      case Stopped _ -> "stopped";
      case Failed _ -> "failed";
      case Discarded _, Deleted _ -> "deleted";
    };
  }

  private static boolean restsWithoutMemory(SandboxState next) {
    return next instanceof Stopped || next instanceof Discarded;
  }

  private static boolean isEnd(SandboxState next) {
    return next instanceof Failed || next instanceof Deleted;
  }
}
