package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.List;

/**
 * The group of a sandbox, whose members reach each other by name.
 *
 * @param ports that the sandbox offers to the others; empty for all
 * @param members all of the group, the sandbox itself included
 */
public record SandboxGroup(String name, List<String> ports, List<Member> members) {
  /**
   * One of the group.
   *
   * @param hosts what the others reach it by
   * @param ports that it offers to the others; empty for all
   */
  public record Member(String id, String name, List<String> hosts, List<String> ports) {
    static Member of(JsonObject json) {
      return new Member(
          json.requireText("id"),
          json.requireText("name"),
          json.texts("hosts"),
          json.texts("ports"));
    }

    private JsonValue toBody() {
      return JsonObject.builder()
          .put("id", id)
          .put("name", name)
          .put("hosts", JsonValue.ofTexts(hosts))
          .put("ports", JsonValue.ofTexts(ports))
          .build();
    }
  }

  static SandboxGroup of(JsonObject json) {
    return new SandboxGroup(
        json.requireText("name"),
        json.texts("ports"),
        json.objects("members").stream().map(Member::of).toList());
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(
        JsonObject.builder()
            .put("name", name)
            .put("ports", JsonValue.ofTexts(ports))
            .put("members", new JsonValue.Items(members.stream().map(Member::toBody).toList()))
            .build());
  }
}
