package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/**
 * A port of a sandbox as an address on the web.
 *
 * @param access a name of {@link PortAccess#publicName}, or of a later server's
 * @param url by host name
 * @param pathUrl by path
 * @param expiresAt when it is private again
 * @param token for {@code Authorization: Bearer}; there only when the port was just shared
 * @param password there only when the port was just shared
 */
public record SharedPort(
    int port,
    String access,
    URI url,
    URI pathUrl,
    Instant createdAt,
    Optional<Instant> expiresAt,
    Optional<String> token,
    Optional<String> user,
    Optional<String> password) {
  static SharedPort of(JsonObject json) {
    return new SharedPort(
        json.requireInt("port"),
        json.requireText("access"),
        URI.create(json.requireText("url")),
        URI.create(json.requireText("pathUrl")),
        json.requireInstant("createdAt"),
        json.findInstant("expiresAt"),
        json.findText("token"),
        json.findText("user"),
        json.findText("password"));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses, secrets included. */
  public String toJson() {
    var json =
        JsonObject.builder()
            .put("port", port)
            .put("access", access)
            .put("url", url.toString())
            .put("pathUrl", pathUrl.toString())
            .put("createdAt", createdAt.toString());
    expiresAt.ifPresent(when -> json.put("expiresAt", when.toString()));
    token.ifPresent(text -> json.put("token", text));
    user.ifPresent(text -> json.put("user", text));
    password.ifPresent(text -> json.put("password", text));
    return Json.writeText(json.build());
  }

  @Override
  public String toString() {
    return "SharedPort[" + port + ", " + access + ", " + url + "]";
  }
}
