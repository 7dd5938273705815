package dev.cove.edge.http;

import dev.cove.control.key.ApiKey;
import dev.cove.control.key.ApiKeys;
import dev.cove.model.ErrorCode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Who is calling. A key comes in exactly one header; whatever is wrong with it, the work done and
 * the answer given are the same.
 */
final class KeyCheck {
  private static final int LONGEST = 256;
  private static final String NO_KEY = "cove_" + "0".repeat(64);
  private static final String BEARER = "Bearer ";

  private final ApiKeys keys;

  KeyCheck(ApiKeys keys) {
    this.keys = keys;
  }

  Caller require(HttpFields headers) {
    Optional<String> presented = presented(headers);
    Optional<ApiKey> key = keys.authenticate(presented.orElse(NO_KEY));
    if (presented.isEmpty() || key.isEmpty()) {
      throw new HttpRefusal(
          401,
          ErrorCode.UNAUTHENTICATED,
          "A valid API key is needed, as Authorization: Bearer or X-API-Key",
          Map.of("WWW-Authenticate", "Bearer"));
    }
    String secret = presented.get();
    return new Caller(key.get().id(), () -> keys.authenticate(secret).isPresent());
  }

  private static Optional<String> presented(HttpFields headers) {
    List<String> authorization = headers.getValuesList(HttpHeader.AUTHORIZATION);
    List<String> plain = headers.getValuesList("X-API-Key");
    if (authorization.size() + plain.size() != 1) {
      return Optional.empty();
    }
    return (plain.isEmpty() ? bearer(authorization.getFirst()) : Optional.of(plain.getFirst()))
        .filter(key -> !key.isEmpty() && key.length() <= LONGEST);
  }

  private static Optional<String> bearer(String value) {
    return value.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? Optional.of(value.substring(BEARER.length()).strip())
        : Optional.empty();
  }
}
