package dev.cove.control.usage;

import dev.cove.model.SandboxState;
import java.util.Locale;

/** What a sandbox's time counts as. */
enum Phase {
  /** It is not there yet, or not any more. */
  NONE,
  RUNNING,
  PAUSED,
  STOPPED;

  static Phase of(SandboxState state) {
    return switch (state) {
      case SandboxState.Running _ -> RUNNING;
      case SandboxState.Paused _ -> PAUSED;
      case SandboxState.Stopped _, SandboxState.Discarded _ -> STOPPED;
      case SandboxState.Requested _,
          SandboxState.Starting _,
          SandboxState.Failed _,
          SandboxState.Deleted _ ->
          NONE;
    };
  }

  /** Whether it has processes, and so memory. */
  boolean hasMemory() {
    return this == RUNNING || this == PAUSED;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Phase ofWord(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
