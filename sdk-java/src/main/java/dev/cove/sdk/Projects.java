package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import dev.cove.sdk.transport.Request;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** The tenants of a server, for operators. */
public final class Projects {
  private static final String PATH = Api.ROOT + "/projects";

  /**
   * A project as the server described it at one moment.
   *
   * @param tier what its sandboxes get when nobody names one; usual for what the server gives
   * @param quotas how much it may have
   * @param used how much of that it uses
   */
  public record Project(
      String name,
      Instant createdAt,
      String tier,
      Map<String, Double> quotas,
      Map<String, Double> used) {
    public Project {
      quotas = Map.copyOf(quotas);
      used = Map.copyOf(used);
    }

    static Project of(JsonObject json) {
      return new Project(
          json.requireText("name"),
          json.requireInstant("createdAt"),
          json.findText("tier").orElse("usual"),
          numbers(json.requireObject("quotas")),
          numbers(json.requireObject("used")));
    }

    private static Map<String, Double> numbers(JsonObject json) {
      var numbers = new TreeMap<String, Double>();
      json.members().keySet().forEach(name -> numbers.put(name, json.requireDouble(name)));
      return numbers;
    }

    /** The same as one line of JSON, with the names that the HTTP API uses. */
    public String toJson() {
      return Json.writeText(
          JsonObject.builder()
              .put("name", name)
              .put("createdAt", createdAt.toString())
              .put("tier", tier)
              .put("quotas", object(quotas))
              .put("used", object(used))
              .build());
    }
  }

  private static JsonObject object(Map<String, Double> numbers) {
    var json = JsonObject.builder();
    new TreeMap<>(numbers).forEach(json::put);
    return json.build();
  }

  private final Api api;

  Projects(Api api) {
    this.api = api;
  }

  public Project create(String name) {
    return api.call("POST", PATH, JsonObject.builder().put("name", name).build(), Project::of);
  }

  /**
   * Says how much a project may have from now on; what is not named stays.
   *
   * @param quotas by the names that the HTTP API uses, as in sandboxes, cpus and memoryMb; an empty
   *     one is dropped
   */
  public Project change(String name, Map<String, OptionalDouble> quotas) {
    var wanted = JsonObject.builder();
    new TreeMap<>(quotas)
        .forEach((quota, limit) ->
            limit.ifPresentOrElse(
                value -> wanted.put(quota, value), () -> wanted.put(quota, new JsonValue.Null())));
    return api.call(
        "PATCH",
        PATH + "/" + Api.encode(name),
        JsonObject.builder().put("quotas", wanted.build()).build(),
        Project::of);
  }

  /**
   * Says which tier sandboxes of a project get when nobody names one.
   *
   * @param tier such as gvisor, or usual for what the server gives
   */
  public Project changeTier(String name, String tier) {
    return api.call(
        "PATCH",
        PATH + "/" + Api.encode(name),
        JsonObject.builder().put("tier", tier).build(),
        Project::of);
  }

  /** By name. */
  public List<Project> list() {
    return api.fetch(PATH, json -> json.objects("items").stream().map(Project::of).toList());
  }

  public Project require(String name) {
    return api.fetch(PATH + "/" + Api.encode(name), Project::of);
  }

  /** Ends a project that has nothing any more. */
  public void delete(String name) {
    api.order(Request.of("DELETE", PATH + "/" + Api.encode(name)));
  }
}
