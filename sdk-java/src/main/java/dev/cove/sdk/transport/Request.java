package dev.cove.sdk.transport;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One request.
 *
 * @param target path and query, already encoded
 * @param readTimeout how long the server may stay silent; zero for as long as it likes
 */
public record Request(
    String method, String target, Map<String, String> headers, Body body, Duration readTimeout) {
  static final Duration DEFAULT_READ_TIMEOUT = Duration.ofMinutes(1);

  public Request {
    headers = Map.copyOf(headers);
    headers.forEach((name, value) -> {
      requireNoLineBreak(name);
      requireNoLineBreak(value);
    });
    requireNoLineBreak(method);
    requireNoLineBreak(target);
  }

  public static Request of(String method, String target) {
    return new Request(method, target, Map.of(), Body.none(), DEFAULT_READ_TIMEOUT);
  }

  public Request body(Body newBody) {
    return new Request(method, target, headers, newBody, readTimeout);
  }

  public Request header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new Request(method, target, more, body, readTimeout);
  }

  public Request readTimeout(Duration timeout) {
    return new Request(method, target, headers, body, timeout);
  }

  /** Whether sending it twice does no more than sending it once. */
  boolean repeatable() {
    boolean idempotent =
        switch (method) {
          case "GET", "HEAD", "PUT", "DELETE" -> true;
          default -> headers.containsKey("Idempotency-Key");
        };
    return idempotent && !(body instanceof Body.Streamed);
  }

  // A line break would let a value end its header and begin another.
  private static void requireNoLineBreak(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~') {
        throw new IllegalArgumentException(
            "A request line or header may hold printable ASCII characters only");
      }
    }
  }
}
