package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is to happen to a sandbox by itself, as far as it is said here. Each method gives a copy;
 * zero is for ever, and {@code usual…} takes back what was said, so that the template or the server
 * says it.
 */
public final class LifeChange {
  private static final LifeChange NONE = new LifeChange(Map.of());

  private final Map<String, JsonValue> fields;

  private LifeChange(Map<String, JsonValue> fields) {
    this.fields = fields;
  }

  public static LifeChange none() {
    return NONE;
  }

  /** Pause it when nothing has happened for so long. */
  public LifeChange idle(Duration time) {
    return with("idleSeconds", JsonValue.of(time.toSeconds()));
  }

  public LifeChange usualIdle() {
    return with("idleSeconds", new JsonValue.Null());
  }

  /** Stop it when it has been paused for so long. */
  public LifeChange pausedFor(Duration time) {
    return with("pausedSeconds", JsonValue.of(time.toSeconds()));
  }

  public LifeChange usualPausedFor() {
    return with("pausedSeconds", new JsonValue.Null());
  }

  /** Never pause it by itself. */
  public LifeChange keepAlive(boolean kept) {
    return with("keepAlive", JsonValue.of(kept));
  }

  public LifeChange usualKeepAlive() {
    return with("keepAlive", new JsonValue.Null());
  }

  /** Let it live for so long, counted from when this is said. */
  public LifeChange maxLife(Duration time) {
    return with("maxLifeSeconds", JsonValue.of(time.toSeconds()));
  }

  public LifeChange usualMaxLife() {
    return with("maxLifeSeconds", new JsonValue.Null());
  }

  /** What becomes of it when its life is over: stop, pause or delete. */
  public LifeChange onEnd(String what) {
    return with("onEnd", JsonValue.of(what));
  }

  /** What becomes of it when it ran while the host went down: stop or start. */
  public LifeChange onHostRestart(String what) {
    return with("onHostRestart", JsonValue.of(what));
  }

  public boolean isEmpty() {
    return fields.isEmpty();
  }

  private LifeChange with(String name, JsonValue value) {
    Map<String, JsonValue> more = new LinkedHashMap<>(fields);
    more.put(name, value);
    return new LifeChange(more);
  }

  JsonObject toBody() {
    var json = JsonObject.builder();
    fields.forEach(json::put);
    return json.build();
  }

  String toJson() {
    return Json.writeText(toBody());
  }
}
