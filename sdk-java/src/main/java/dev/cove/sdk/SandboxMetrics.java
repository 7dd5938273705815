package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;

/** What a sandbox uses, and what it may use at most. */
public record SandboxMetrics(
    Cpu cpu, Memory memory, Disk disk, Processes processes, long oomKills) {
  /** In seconds of one cpu since the start, and in cpus. */
  public record Cpu(double usedSeconds, double limit) {}

  /** In bytes. */
  public record Memory(long usedBytes, long peakBytes, long limitBytes) {}

  /** The writable layer. */
  public record Disk(long usedBytes, long limitBytes, long inodesUsed, long inodesLimit) {}

  /** Processes and threads together. */
  public record Processes(long count, long limit) {}

  static SandboxMetrics of(JsonObject json) {
    JsonObject cpu = json.requireObject("cpu");
    JsonObject memory = json.requireObject("memory");
    JsonObject disk = json.requireObject("disk");
    JsonObject processes = json.requireObject("processes");
    return new SandboxMetrics(
        new Cpu(cpu.requireDouble("usedSeconds"), cpu.requireDouble("limit")),
        new Memory(
            memory.requireLong("usedBytes"),
            memory.requireLong("peakBytes"),
            memory.requireLong("limitBytes")),
        new Disk(
            disk.requireLong("usedBytes"),
            disk.requireLong("limitBytes"),
            disk.requireLong("inodesUsed"),
            disk.requireLong("inodesLimit")),
        new Processes(processes.requireLong("count"), processes.requireLong("limit")),
        json.findLong("oomKills").orElse(0L));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(
        JsonObject.builder()
            .put(
                "cpu",
                JsonObject.builder()
                    .put("usedSeconds", cpu.usedSeconds)
                    .put("limit", cpu.limit)
                    .build())
            .put(
                "memory",
                JsonObject.builder()
                    .put("usedBytes", memory.usedBytes)
                    .put("peakBytes", memory.peakBytes)
                    .put("limitBytes", memory.limitBytes)
                    .build())
            .put(
                "disk",
                JsonObject.builder()
                    .put("usedBytes", disk.usedBytes)
                    .put("limitBytes", disk.limitBytes)
                    .put("inodesUsed", disk.inodesUsed)
                    .put("inodesLimit", disk.inodesLimit)
                    .build())
            .put(
                "processes",
                JsonObject.builder()
                    .put("count", processes.count)
                    .put("limit", processes.limit)
                    .build())
            .put("oomKills", oomKills)
            .build());
  }
}
