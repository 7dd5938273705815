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

  /** A key as the server remembers it: not the key itself. */
  public record KeyInfo(
      String id,
      String name,
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
      lastUsedAt.ifPresent(when -> json.put("lastUsedAt", when.toString()));
      revokedAt.ifPresent(when -> json.put("revokedAt", when.toString()));
      return Json.writeText(json.build());
    }
  }

  /**
   * A key just made.
   *
   * @param key shown this once; the server keeps only a hash
   */
  public record NewKey(String id, String name, String key, Instant createdAt) {
    /** The same as one line of JSON, the key included. */
    public String toJson() {
      return Json.writeText(
          JsonObject.builder()
              .put("id", id)
              .put("name", name)
              .put("key", key)
              .put("createdAt", createdAt.toString())
              .build());
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

  public NewKey create(String name) {
    return api.call(
        "POST",
        PATH,
        JsonObject.builder().put("name", name).build(),
        json ->
            new NewKey(
                json.requireText("id"),
                json.requireText("name"),
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
        json.requireText("last4"),
        json.requireInstant("createdAt"),
        json.findInstant("lastUsedAt"),
        json.findInstant("revokedAt"));
  }
}
