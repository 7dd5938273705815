package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.util.Optional;

/**
 * How much sandboxes of a template may use at most, unless it is said when they are made. Each
 * method gives a copy.
 *
 * @param cpus such as 0.5
 * @param diskMb how much they may write
 * @param maxProcesses processes and threads together
 */
public record Limits(
    Optional<Double> cpus,
    Optional<Integer> memoryMb,
    Optional<Integer> diskMb,
    Optional<Integer> maxProcesses) {
  /** Nothing is said, so what is usual holds. */
  public static final Limits NONE =
      new Limits(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public Limits cpus(double most) {
    return new Limits(Optional.of(most), memoryMb, diskMb, maxProcesses);
  }

  public Limits memoryMb(int most) {
    return new Limits(cpus, Optional.of(most), diskMb, maxProcesses);
  }

  public Limits diskMb(int most) {
    return new Limits(cpus, memoryMb, Optional.of(most), maxProcesses);
  }

  public Limits maxProcesses(int most) {
    return new Limits(cpus, memoryMb, diskMb, Optional.of(most));
  }

  static Limits of(JsonObject json) {
    return new Limits(
        json.find("cpus").map(_ -> json.requireDouble("cpus")),
        number(json, "memoryMb"),
        number(json, "diskMb"),
        number(json, "maxProcesses"));
  }

  private static Optional<Integer> number(JsonObject json, String name) {
    return json.find(name).map(_ -> json.requireInt(name));
  }

  JsonObject toBody() {
    var json = JsonObject.builder();
    cpus.ifPresent(most -> json.put("cpus", most));
    memoryMb.ifPresent(most -> json.put("memoryMb", most));
    diskMb.ifPresent(most -> json.put("diskMb", most));
    maxProcesses.ifPresent(most -> json.put("maxProcesses", most));
    return json.build();
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(toBody());
  }
}
