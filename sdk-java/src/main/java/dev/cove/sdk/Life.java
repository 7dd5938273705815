package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What happens to a sandbox by itself. Zero is for ever; what is empty, nobody has said.
 *
 * @param idle after how much time in which nothing happens it is paused
 * @param pausedFor after how much time of that it is stopped
 * @param keepAlive whether it is never paused by itself
 * @param maxLife how long it may live
 * @param onEnd what becomes of it then: stop, pause or delete
 * @param onHostRestart what becomes of it when it ran while the host went down: stop or start
 * @param endsAt when its life is over
 */
public record Life(
    Optional<Duration> idle,
    Optional<Duration> pausedFor,
    Optional<Boolean> keepAlive,
    Optional<Duration> maxLife,
    Optional<String> onEnd,
    Optional<String> onHostRestart,
    Optional<Instant> endsAt) {
  /** Of a server that says nothing of it. */
  static final Life UNKNOWN = of(JsonObject.builder().build());

  static Life of(JsonObject json) {
    return new Life(
        seconds(json, "idleSeconds"),
        seconds(json, "pausedSeconds"),
        json.find("keepAlive").map(_ -> json.flag("keepAlive")),
        seconds(json, "maxLifeSeconds"),
        json.findText("onEnd"),
        json.findText("onHostRestart"),
        json.findInstant("endsAt"));
  }

  private static Optional<Duration> seconds(JsonObject json, String name) {
    return json.find(name).map(_ -> Duration.ofSeconds(json.requireLong(name)));
  }

  JsonObject toBody() {
    var json = JsonObject.builder();
    idle.ifPresent(time -> json.put("idleSeconds", time.toSeconds()));
    pausedFor.ifPresent(time -> json.put("pausedSeconds", time.toSeconds()));
    keepAlive.ifPresent(kept -> json.put("keepAlive", kept));
    maxLife.ifPresent(time -> json.put("maxLifeSeconds", time.toSeconds()));
    onEnd.ifPresent(what -> json.put("onEnd", what));
    onHostRestart.ifPresent(what -> json.put("onHostRestart", what));
    endsAt.ifPresent(when -> json.put("endsAt", when.toString()));
    return json.build();
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(toBody());
  }
}
