package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Request;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The keys that open the server. */
public final class Keys {
  private static final String PATH = Api.ROOT + "/keys";

  /**
   * A key as the server remembers it: not the key itself.
   *
   * @param project where it acts; none for an operator's
   */
  public record KeyInfo(
      String id,
      String name,
      Optional<String> project,
      String last4,
      Instant createdAt,
      Optional<Instant> lastUsedAt,
      Optional<Instant> revokedAt) {
    /** The same as one line of JSON, with the names that the HTTP API uses. */
    public String toJson() {
      var json =
          JsonObject.builder()
              .put("id", id)
              .put("name", name)
              .put("last4", last4)
              .put("createdAt", createdAt.toString());
      project.ifPresent(owner -> json.put("project", owner));
      lastUsedAt.ifPresent(when -> json.put("lastUsedAt", when.toString()));
      revokedAt.ifPresent(when -> json.put("revokedAt", when.toString()));
      return Json.writeText(json.build());
    }
  }

  /**
   * A key just made.
   *
   * @param project where it acts; none for an operator's
   * @param key shown this once; the server keeps only a hash
   */
  public record NewKey(
      String id, String name, Optional<String> project, String key, Instant createdAt) {
    /** The same as one line of JSON, the key included. */
    public String toJson() {
      var json =
          JsonObject.builder()
              .put("id", id)
              .put("name", name)
              .put("key", key)
              .put("createdAt", createdAt.toString());
      project.ifPresent(owner -> json.put("project", owner));
      return Json.writeText(json.build());
    }

    @Override
    public String toString() {
      return "NewKey[" + id + ", " + name + "]";
    }
  }

  private final Api api;

  Keys(Api api) {
    this.api = api;
  }

  /** Makes a key like the one that asks; an operator who acts in a project gets one for it. */
  public NewKey create(String name) {
    return create(JsonObject.builder().put("name", name).build());
  }

  /** Makes a key that acts in that project and knows of no other. */
  public NewKey create(String name, String project) {
    return create(JsonObject.builder().put("name", name).put("project", project).build());
  }

  private NewKey create(JsonObject wanted) {
    return api.call(
        "POST",
        PATH,
        wanted,
        json ->
            new NewKey(
                json.requireText("id"),
                json.requireText("name"),
                json.findText("project"),
                json.requireText("key"),
                json.requireInstant("createdAt")));
  }

  public List<KeyInfo> list() {
    return api.fetch(PATH, json -> json.objects("items").stream().map(Keys::keyInfo).toList());
  }

  /** The key stops working at once. */
  public void revoke(String id) {
    api.order(Request.of("DELETE", PATH + "/" + Api.encode(id)));
  }

  private static KeyInfo keyInfo(JsonObject json) {
    return new KeyInfo(
        json.requireText("id"),
        json.requireText("name"),
        json.findText("project"),
        json.requireText("last4"),
        json.requireInstant("createdAt"),
        json.findInstant("lastUsedAt"),
        json.findInstant("revokedAt"));
  }
}
