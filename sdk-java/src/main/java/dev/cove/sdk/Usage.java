package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What was used between two times, by groups.
 *
 * @param currency of the costs, where the server has prices
 */
public record Usage(Instant from, Instant to, Optional<String> currency, List<Item> items) {
  public Usage {
    items = List.copyOf(items);
  }

  /**
   * What one group has used.
   *
   * @param key a sandbox's id, a project, a label's value, the begin of an hour, or a day; empty
   *     for all together
   * @param name of a sandbox, also of one that is gone
   * @param memoryMbSeconds memory in use, times how long
   * @param diskMbSeconds what its files took on the server's disk, times how long
   */
  public record Item(
      String key,
      Optional<String> name,
      Optional<String> project,
      BigDecimal cpuSeconds,
      BigDecimal memoryMbSeconds,
      BigDecimal diskMbSeconds,
      long sentBytes,
      long receivedBytes,
      BigDecimal runningSeconds,
      BigDecimal pausedSeconds,
      BigDecimal stoppedSeconds,
      Optional<BigDecimal> cost,
      String toJson) {
    static Item of(JsonObject json) {
      return new Item(
          json.requireText("key"),
          json.findText("name"),
          json.findText("project"),
          json.requireDecimal("cpuSeconds"),
          json.requireDecimal("memoryMbSeconds"),
          json.requireDecimal("diskMbSeconds"),
          json.requireLong("sentBytes"),
          json.requireLong("receivedBytes"),
          json.requireDecimal("runningSeconds"),
          json.requireDecimal("pausedSeconds"),
          json.requireDecimal("stoppedSeconds"),
          json.findText("cost").map(BigDecimal::new),
          Json.writeText(json));
    }
  }
}
