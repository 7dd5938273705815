package dev.cove.edge.process;

import dev.cove.edge.exec.CommandFields.Surroundings;
import dev.cove.edge.process.StartBody.Terminal;
import dev.cove.guest.CommandSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The first message on a socket that starts a command. */
record StartMessage(
    @Nullable String type,
    @Nullable List<@Nullable String> command,
    @Nullable String cwd,
    @Nullable Map<String, @Nullable String> env,
    @Nullable String user,
    @Nullable Long timeoutMs,
    @Nullable Terminal terminal,
    @Nullable Boolean stdin,
    @Nullable Boolean keep) {
  CommandSpec toSpec(Surroundings around) {
    if (!"start".equals(type)) {
      throw new IllegalArgumentException("The first message must have the type start");
    }
    return new StartBody(command, cwd, env, user, timeoutMs, terminal, stdin)
        .toSpec(around, Boolean.TRUE.equals(keep));
  }
}
