package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import java.net.URI;
import java.time.Instant;

/**
 * An address that opens a port of a sandbox for whoever has it.
 *
 * @param url by host name
 * @param pathUrl by path
 */
public record PortLink(URI url, URI pathUrl, Instant expiresAt) {
  static PortLink of(JsonObject json) {
    return new PortLink(
        URI.create(json.requireText("url")),
        URI.create(json.requireText("pathUrl")),
        json.requireInstant("expiresAt"));
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(
        JsonObject.builder()
            .put("url", url.toString())
            .put("pathUrl", pathUrl.toString())
            .put("expiresAt", expiresAt.toString())
            .build());
  }

  @Override
  public String toString() {
    return "PortLink[" + expiresAt + "]";
  }
}
