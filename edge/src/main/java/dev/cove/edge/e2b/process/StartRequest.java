package dev.cove.edge.e2b.process;

import dev.cove.edge.http.Fields;
import dev.cove.guest.CommandSpec.TerminalSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A command to start. */
record StartRequest(
    @Nullable Config process, @Nullable Pty pty, @Nullable String tag, @Nullable Boolean stdin) {
  Config config() {
    return Fields.require("process", process);
  }

  /** Nothing said means that somebody may write to it. */
  boolean reads() {
    return stdin == null || stdin || pty != null;
  }

  Optional<TerminalSize> terminal() {
    return Optional.ofNullable(pty).map(Pty::terminal);
  }

  /** What is run. */
  record Config(
      @Nullable String cmd,
      @Nullable List<@Nullable String> args,
      @Nullable Map<String, @Nullable String> envs,
      @Nullable String cwd) {
    List<@Nullable String> command() {
      var command = new ArrayList<@Nullable String>();
      command.add(Fields.require("process.cmd", cmd));
      if (args != null) {
        command.addAll(args);
      }
      return command;
    }
  }

  record Pty(@Nullable Size size) {
    TerminalSize terminal() {
      Size wanted = Fields.require("pty.size", size);
      return new TerminalSize(
          Fields.require("pty.size.rows", wanted.rows()),
          Fields.require("pty.size.cols", wanted.cols()));
    }
  }

  record Size(@Nullable Integer cols, @Nullable Integer rows) {}
}
