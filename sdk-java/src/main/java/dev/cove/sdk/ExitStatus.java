package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import java.time.Duration;
import java.util.Optional;

/**
 * How a command ended.
 *
 * @param exitCode its own, or 128 and the signal's number when a signal ended it
 * @param signal the signal's name, such as SIGKILL
 * @param oomKilled whether the sandbox's memory limit was the reason
 */
public record ExitStatus(
    int exitCode, Optional<String> signal, boolean timedOut, boolean oomKilled, Duration duration) {
  static ExitStatus of(JsonObject json) {
    Optional<String> signal = json.findText("signal");
    int code = (int) (long) json.findLong("exitCode").orElse(-1L);
    return new ExitStatus(
        signal.map(name -> 128 + SignalNumber.of(name)).orElse(code),
        signal,
        json.flag("timedOut"),
        json.flag("oomKilled"),
        Duration.ofMillis(json.findLong("durationMs").orElse(0L)));
  }

  public boolean succeeded() {
    return exitCode == 0;
  }
}
