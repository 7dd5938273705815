package dev.cove.edge.exec;

import dev.cove.guest.CommandExit;
import java.util.Optional;

/** How a command ended, as callers see it. */
public record ExitBody(
    int exitCode, Optional<String> signal, boolean timedOut, boolean oomKilled, long durationMs) {
  public static ExitBody of(CommandExit exit, boolean oomKilled) {
    return new ExitBody(
        exit.code(),
        Signals.name(exit.signal()),
        exit.timedOut(),
        oomKilled,
        exit.duration().toMillis());
  }
}
