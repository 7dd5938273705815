package dev.cove.edge.exec;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.file.GuestPath;
import dev.cove.edge.http.Fields;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.CommandSpec.TerminalSize;
import dev.cove.model.SandboxSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What every way of starting a command has in common, as callers write it. Names no host path and
 * no host user: all of it is looked up inside the sandbox.
 */
public record CommandFields(
    @Nullable List<@Nullable String> command,
    @Nullable String cwd,
    @Nullable Map<String, @Nullable String> env,
    @Nullable String user,
    @Nullable Long timeoutMs) {
  private static final int MAX_ARGUMENTS = 16_384;
  private static final long MAX_TIMEOUT_MS = Duration.ofDays(1).toMillis();

  /**
   * The command in that sandbox.
   *
   * @param keep it outlives whoever started it
   */
  public CommandSpec toSpec(
      Surroundings around, boolean stdin, Optional<TerminalSize> terminal, boolean keep) {
    SandboxSpec sandbox = around.sandbox();
    return new CommandSpec(
        arguments(sandbox),
        environment(around),
        cwd == null ? sandbox.template().cwd() : GuestPath.require("cwd", cwd),
        GuestUser.require(user, sandbox),
        stdin,
        terminal,
        timeoutMs == null
            ? Duration.ZERO
            : Duration.ofMillis(Fields.between("timeoutMs", timeoutMs, 1, MAX_TIMEOUT_MS)),
        keep);
  }

  /**
   * What a command is started in.
   *
   * @param environment of every command there; what this one says goes before it
   */
  public record Surroundings(SandboxSpec sandbox, Map<String, String> environment) {
    public static Surroundings of(SandboxLifecycle lifecycle, Sandbox sandbox) {
      return new Surroundings(sandbox.spec(), lifecycle.environment(sandbox));
    }
  }

  private List<String> arguments(SandboxSpec sandbox) {
    if (command == null && !sandbox.template().entrypoint().isEmpty()) {
      return sandbox.template().entrypoint();
    }
    List<String> arguments = Fields.textList("command", command);
    if (arguments.size() > MAX_ARGUMENTS) {
      throw new IllegalArgumentException(
          "command has more than %d arguments".formatted(MAX_ARGUMENTS));
    }
    for (String argument : arguments) {
      if (argument.indexOf('\0') >= 0) {
        throw new IllegalArgumentException("command contains a NUL character");
      }
    }
    return arguments;
  }

  private Map<String, String> environment(Surroundings around) {
    Map<String, String> own = Fields.textMap("env", env);
    SandboxSpec.requireEnv(own);
    var merged = new HashMap<>(around.environment());
    merged.putAll(own);
    return merged;
  }
}
