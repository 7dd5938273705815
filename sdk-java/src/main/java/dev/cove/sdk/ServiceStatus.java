package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.time.Instant;
import java.util.Optional;

/**
 * A service and what has become of it.
 *
 * @param fromTemplate whether it came with the template
 * @param state scheduled, starting, running, restarting, exited, failed or stopped
 * @param pid inside the sandbox, while it runs
 * @param exitCode what it last ended with; 128 and the signal where that ended it
 * @param restarts how often its rule has started it again since it was last started otherwise
 * @param nextAt when its schedule starts it
 */
public record ServiceStatus(
    Service service,
    boolean fromTemplate,
    String state,
    Optional<Long> pid,
    Optional<Long> exitCode,
    long restarts,
    Optional<Instant> since,
    Optional<Instant> nextAt) {
  static ServiceStatus of(JsonObject json) {
    return new ServiceStatus(
        Service.of(json),
        json.flag("fromTemplate"),
        json.requireText("state"),
        json.findLong("pid"),
        json.findLong("exitCode"),
        json.requireLong("restarts"),
        json.findInstant("since"),
        json.findInstant("nextAt"));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json = JsonObject.builder();
    service.toBody().members().forEach(json::put);
    json.put("fromTemplate", fromTemplate).put("state", state);
    pid.ifPresent(number -> json.put("pid", number));
    exitCode.ifPresent(code -> json.put("exitCode", code));
    json.put("restarts", restarts);
    since.ifPresent(time -> json.put("since", time.toString()));
    nextAt.ifPresent(time -> json.put("nextAt", time.toString()));
    return Json.writeText(json.build());
  }
}
