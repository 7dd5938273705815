package dev.cove.edge.template;

import dev.cove.control.build.Step;
import dev.cove.control.build.Variables;
import dev.cove.edge.http.Fields;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A step of a build: one of its fields, which do what the Dockerfile's instructions do. */
record StepBody(
    @Nullable String run,
    @Nullable List<@Nullable String> exec,
    @Nullable Map<String, @Nullable String> env,
    @Nullable String workdir,
    @Nullable String user,
    @Nullable List<@Nullable String> entrypoint,
    @Nullable List<@Nullable String> cmd) {
  /**
   * @param position from 1
   */
  Step toStep(int position) {
    long given =
        Stream.of(run, exec, env, workdir, user, entrypoint, cmd)
            .filter(field -> field != null)
            .count();
    if (given != 1) {
      throw new IllegalArgumentException(
          "Step %d must have exactly one of run, exec, env, workdir, user, entrypoint and cmd"
              .formatted(position));
    }
    if (run != null) {
      return new Step.Run(position, "run " + run, List.of("/bin/sh", "-c", run));
    }
    if (exec != null) {
      List<String> argv = Fields.textList("exec", exec);
      return new Step.Run(position, "exec " + String.join(" ", argv), argv);
    }
    if (env != null) {
      return env(position, Fields.textMap("env", env));
    }
    if (workdir != null) {
      return new Step.Workdir(position, "workdir " + workdir, Variables.literal(workdir));
    }
    if (user != null) {
      return new Step.User(position, "user " + user, Variables.literal(user));
    }
    if (entrypoint != null) {
      return new Step.Entrypoint(position, "entrypoint", Fields.textList("entrypoint", entrypoint));
    }
    return new Step.Cmd(position, "cmd", Fields.textList("cmd", cmd));
  }

  private static Step env(int position, Map<String, String> values) {
    var literal = new LinkedHashMap<String, String>();
    values.forEach((name, value) -> literal.put(name, Variables.literal(value)));
    return new Step.Env(position, "env " + String.join(" ", values.keySet()), literal);
  }
}
