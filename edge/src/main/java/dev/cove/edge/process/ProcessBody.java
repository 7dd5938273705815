package dev.cove.edge.process;

import dev.cove.edge.exec.Signals;
import dev.cove.guest.CommandExit;
import dev.cove.guest.ProcessInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A process as callers see it. */
record ProcessBody(
    long processId,
    int pid,
    List<String> command,
    String user,
    String cwd,
    boolean terminal,
    String state,
    Instant startedAt,
    Optional<Integer> exitCode,
    Optional<String> signal,
    Optional<Boolean> timedOut,
    Optional<Long> durationMs) {
  static ProcessBody of(ProcessInfo info) {
    Optional<CommandExit> exit = info.exit();
    return new ProcessBody(
        info.processId(),
        info.pid(),
        info.argv(),
        info.user(),
        info.cwd(),
        info.terminal(),
        exit.isPresent() ? "exited" : "running",
        info.startedAt(),
        exit.map(CommandExit::code),
        exit.flatMap(end -> Signals.name(end.signal())),
        exit.map(CommandExit::timedOut),
        exit.map(end -> end.duration().toMillis()));
  }
}
