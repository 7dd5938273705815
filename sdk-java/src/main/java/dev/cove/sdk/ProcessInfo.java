package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A command that the server has started in a sandbox.
 *
 * @param processId the server's number for it; pids are reused, these are not
 * @param pid its number inside the sandbox
 * @param exit empty while it runs
 */
public record ProcessInfo(
    long processId,
    long pid,
    List<String> command,
    String user,
    String cwd,
    boolean terminal,
    Instant startedAt,
    Optional<ExitStatus> exit) {
  static ProcessInfo of(JsonObject json) {
    boolean exited = json.requireText("state").equals("exited");
    return new ProcessInfo(
        json.requireLong("processId"),
        json.requireLong("pid"),
        json.texts("command"),
        json.requireText("user"),
        json.findText("cwd").orElse(""),
        json.flag("terminal"),
        json.requireInstant("startedAt"),
        exited ? Optional.of(ExitStatus.of(json)) : Optional.empty());
  }

  public boolean running() {
    return exit.isEmpty();
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json =
        JsonObject.builder()
            .put("processId", processId)
            .put("pid", pid)
            .put("command", JsonValue.ofTexts(command))
            .put("user", user)
            .put("cwd", cwd)
            .put("terminal", terminal)
            .put("state", running() ? "running" : "exited")
            .put("startedAt", startedAt.toString());
    exit.ifPresent(end -> {
      json.put("exitCode", end.exitCode());
      end.signal().ifPresent(name -> json.put("signal", name));
      json.put("timedOut", end.timedOut()).put("durationMs", end.duration().toMillis());
    });
    return Json.writeText(json.build());
  }
}
