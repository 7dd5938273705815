package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.transport.Body;
import dev.cove.sdk.transport.Request;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

/**
 * Values that sandboxes may use and never see. The server gives none of them back. A {@link
 * SecretBinding} says where one is used.
 */
public final class Secrets {
  private static final String PATH = Api.ROOT + "/secrets";

  /** A secret as the server lists it: not its value. */
  public record SecretInfo(String name, Instant createdAt, Instant updatedAt) {
    private static SecretInfo of(JsonObject json) {
      return new SecretInfo(
          json.requireText("name"),
          json.requireInstant("createdAt"),
          json.requireInstant("updatedAt"));
    }

    /** The same as one line of JSON, with the names that the HTTP API uses. */
    public String toJson() {
      return Json.writeText(
          JsonObject.builder()
              .put("name", name)
              .put("createdAt", createdAt.toString())
              .put("updatedAt", updatedAt.toString())
              .build());
    }
  }

  private final Api api;

  Secrets(Api api) {
    this.api = api;
  }

  public List<SecretInfo> list() {
    return api.fetch(PATH, json -> json.objects("items").stream().map(SecretInfo::of).toList());
  }

  /**
   * Keeps a secret, or puts a new value in the place of the one before, which is used from the next
   * request on.
   *
   * @param name capital letters, digits and {@code _}, such as {@code API_KEY}
   */
  public SecretInfo set(String name, byte[] value) {
    return api.call(
        Request.of("PUT", pathOf(name)).body(new Body.Bytes(value, "application/octet-stream")),
        SecretInfo::of);
  }

  /** The same, in UTF-8. */
  public SecretInfo set(String name, String value) {
    return set(name, value.getBytes(StandardCharsets.UTF_8));
  }

  public void delete(String name) {
    api.order(Request.of("DELETE", pathOf(name)));
  }

  private static String pathOf(String name) {
    return PATH + "/" + Api.encode(name);
  }
}
