package dev.cove.edge.process;

import dev.cove.edge.exec.CommandFields;
import dev.cove.edge.exec.CommandFields.Surroundings;
import dev.cove.edge.http.Fields;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.CommandSpec.TerminalSize;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request to start a command that others may attach to. */
record StartBody(
    @Nullable List<@Nullable String> command,
    @Nullable String cwd,
    @Nullable Map<String, @Nullable String> env,
    @Nullable String user,
    @Nullable Long timeoutMs,
    @Nullable Terminal terminal,
    @Nullable Boolean stdin) {
  /** A terminal that nobody can type into is of no use, so it has input unless told otherwise. */
  CommandSpec toSpec(Surroundings around, boolean keep) {
    boolean reads = stdin == null ? terminal != null : stdin;
    return new CommandFields(command, cwd, env, user, timeoutMs)
        .toSpec(around, reads, Optional.ofNullable(terminal).map(Terminal::size), keep);
  }

  record Terminal(@Nullable Integer rows, @Nullable Integer cols) {
    TerminalSize size() {
      return new TerminalSize(
          Fields.require("terminal.rows", rows), Fields.require("terminal.cols", cols));
    }
  }
}
