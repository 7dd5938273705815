package dev.cove.guest;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A command that the agent knows. */
public record ProcessInfo(
    long processId,
    int pid,
    List<String> argv,
    String user,
    String cwd,
    boolean terminal,
    Instant startedAt,
    Optional<CommandExit> exit) {}
