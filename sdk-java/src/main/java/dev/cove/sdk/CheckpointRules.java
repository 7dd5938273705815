package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.util.OptionalInt;

/**
 * When checkpoints of a sandbox come and go by themselves. None is taken while nothing can have
 * changed since the last one.
 *
 * @param beforeExec before each command that is started from outside; a command whose checkpoint
 *     cannot be taken is not started
 * @param everyMinutes so often
 * @param keepAutomatic how many that nobody asked for are kept, the newest
 * @param maxAgeHours how old those may get that nobody asked for
 * @param fromInside whether programs in the sandbox may ask for some, by {@code cove-checkpoint};
 *     of those, {@code keepAutomatic} are kept as well
 */
public record CheckpointRules(
    boolean beforeExec,
    OptionalInt everyMinutes,
    int keepAutomatic,
    OptionalInt maxAgeHours,
    boolean fromInside) {
  private static final CheckpointRules USUAL =
      new CheckpointRules(false, OptionalInt.empty(), 20, OptionalInt.empty(), false);

  /** Those of a sandbox for which nothing else was said. */
  public static CheckpointRules usual() {
    return USUAL;
  }

  static CheckpointRules of(JsonObject json) {
    return new CheckpointRules(
        json.flag("beforeExec"),
        number(json, "everyMinutes"),
        json.requireInt("keepAutomatic"),
        number(json, "maxAgeHours"),
        json.flag("fromInside"));
  }

  private static OptionalInt number(JsonObject json, String name) {
    return json.find(name).isPresent()
        ? OptionalInt.of(json.requireInt(name))
        : OptionalInt.empty();
  }

  public CheckpointRules withBeforeExec(boolean wanted) {
    return new CheckpointRules(wanted, everyMinutes, keepAutomatic, maxAgeHours, fromInside);
  }

  public CheckpointRules withEveryMinutes(OptionalInt wanted) {
    return new CheckpointRules(beforeExec, wanted, keepAutomatic, maxAgeHours, fromInside);
  }

  public CheckpointRules withKeepAutomatic(int wanted) {
    return new CheckpointRules(beforeExec, everyMinutes, wanted, maxAgeHours, fromInside);
  }

  public CheckpointRules withMaxAgeHours(OptionalInt wanted) {
    return new CheckpointRules(beforeExec, everyMinutes, keepAutomatic, wanted, fromInside);
  }

  public CheckpointRules withFromInside(boolean wanted) {
    return new CheckpointRules(beforeExec, everyMinutes, keepAutomatic, maxAgeHours, wanted);
  }

  JsonObject toBody() {
    var json =
        JsonObject.builder()
            .put("beforeExec", beforeExec)
            .put("keepAutomatic", keepAutomatic)
            .put("fromInside", fromInside);
    everyMinutes.ifPresent(minutes -> json.put("everyMinutes", minutes));
    maxAgeHours.ifPresent(hours -> json.put("maxAgeHours", hours));
    return json.build();
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(toBody());
  }
}
