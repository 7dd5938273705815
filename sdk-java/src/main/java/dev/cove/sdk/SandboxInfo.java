package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sandbox as the server described it at one moment.
 *
 * @param project whose it is
 * @param state requested, starting, running, paused, stopped or failed; later servers may know more
 * @param reason why it was paused, stopped or failed
 * @param boundary what really holds it; where one sandbox was asked for
 * @param restingSince since when it is paused or stopped
 * @param memory what became of its memory while it is paused or stopped: kept or gone
 * @param parent the sandbox that it was forked from, or whose checkpoint it was made from
 * @param group whose sandboxes it reaches by their names
 * @param life what happens to it by itself, whoever said so
 * @param keptUntil until when one that is deleted can be undeleted
 * @param projects folders of the server's host that it has
 */
public record SandboxInfo(
    String id,
    String name,
    String project,
    String state,
    Optional<String> reason,
    String template,
    String tier,
    Optional<Boundary> boundary,
    double cpus,
    int memoryMb,
    int diskMb,
    int maxProcesses,
    Map<String, String> labels,
    Instant createdAt,
    Optional<Instant> startedAt,
    Optional<Instant> restingSince,
    Optional<String> memory,
    Optional<String> parent,
    Optional<String> group,
    Life life,
    Optional<Instant> keptUntil,
    List<ProjectInfo> projects) {
  public SandboxInfo {
    projects = List.copyOf(projects);
  }

  static SandboxInfo of(JsonObject json) {
    return new SandboxInfo(
        json.requireText("id"),
        json.requireText("name"),
        json.findText("project").orElse("default"),
        json.requireText("state"),
        json.findText("reason"),
        json.requireText("template"),
        json.requireText("tier"),
        json.find("boundary").map(_ -> Boundary.of(json.requireObject("boundary"))),
        json.requireDouble("cpus"),
        json.requireInt("memoryMb"),
        json.requireInt("diskMb"),
        json.requireInt("maxProcesses"),
        json.textMap("labels"),
        json.requireInstant("createdAt"),
        json.findInstant("startedAt"),
        json.findInstant("restingSince"),
        json.findText("memory"),
        json.findText("parent"),
        json.findText("group"),
        json.find("life").map(_ -> Life.of(json.requireObject("life"))).orElse(Life.UNKNOWN),
        json.findInstant("keptUntil"),
        json.find("projects")
            .map(_ -> json.objects("projects").stream().map(ProjectInfo::of).toList())
            .orElse(List.of()));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    var json = JsonObject.builder().put("id", id).put("name", name);
    json.put("project", project).put("state", state);
    reason.ifPresent(why -> json.put("reason", why));
    json.put("template", template).put("tier", tier);
    boundary.ifPresent(what -> json.put("boundary", what.toBody()));
    json.put("cpus", cpus)
        .put("memoryMb", memoryMb)
        .put("diskMb", diskMb)
        .put("maxProcesses", maxProcesses)
        .put("labels", JsonObject.ofTexts(labels))
        .put("createdAt", createdAt.toString());
    startedAt.ifPresent(when -> json.put("startedAt", when.toString()));
    restingSince.ifPresent(when -> json.put("restingSince", when.toString()));
    memory.ifPresent(what -> json.put("memory", what));
    parent.ifPresent(origin -> json.put("parent", origin));
    group.ifPresent(text -> json.put("group", text));
    json.put("life", life.toBody());
    keptUntil.ifPresent(when -> json.put("keptUntil", when.toString()));
    if (!projects.isEmpty()) {
      json.put(
          "projects",
          new JsonValue.Items(projects.stream().<JsonValue>map(ProjectInfo::toBody).toList()));
    }
    return Json.writeText(json.build());
  }
}
