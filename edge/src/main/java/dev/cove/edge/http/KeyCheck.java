package dev.cove.edge.http;

import dev.cove.control.key.ApiKey;
import dev.cove.control.key.ApiKeys;
import dev.cove.model.ErrorCode;
import java.util.Map;
import java.util.Optional;

/**
 * Who is calling. Whatever is wrong with a key, the work done and the answer given are the same.
 */
final class KeyCheck {
  private static final int LONGEST = 256;
  private static final String NO_KEY = "cove_" + "0".repeat(64);

  private final ApiKeys keys;

  KeyCheck(ApiKeys keys) {
    this.keys = keys;
  }

  Caller require(Optional<String> found) {
    Optional<String> presented = found.filter(key -> !key.isEmpty() && key.length() <= LONGEST);
    Optional<ApiKey> key = keys.authenticate(presented.orElse(NO_KEY));
    if (presented.isEmpty() || key.isEmpty()) {
      throw new HttpRefusal(
          401,
          ErrorCode.UNAUTHENTICATED,
          "A valid API key is needed, as Authorization: Bearer or X-API-Key",
          Map.of("WWW-Authenticate", "Bearer"));
    }
    String secret = presented.get();
    return new Caller(
        key.get().id(), key.get().project(), () -> keys.authenticate(secret).isPresent());
  }
}
