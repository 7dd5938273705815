package dev.cove.edge.port;

import dev.cove.edge.http.HeaderField;
import dev.cove.edge.http.RawExchange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a request carries that is meant for us and not for the server inside, each in one place:
 * links in the query, cookies under our name, and whatever begins as our keys and tokens do.
 *
 * @param links more than one is a mistake or an attack; none of them counts then
 * @param cookies several, because any site of the same domain may add some
 * @param query the rest of it
 * @param cookieField the rest of it; empty when nothing is left
 */
record Credentials(
    List<String> links,
    List<String> cookies,
    Optional<String> bearer,
    Optional<String> basic,
    Optional<String> key,
    String query,
    String cookieField) {
  static final String LINK = "cove-link";
  static final String COOKIE = "cove-port";
  static final String BASIC_USER = "cove";
  private static final String OURS = "cove_";
  private static final String KEY_HEADER = "X-API-Key";
  private static final String AUTHORIZATION = "Authorization";
  private static final int MOST_COOKIES = 8;
  private static final int LONGEST = 256;

  static Credentials of(RawExchange exchange) {
    var links = new ArrayList<String>();
    String query = without(exchange.query(), "&", LINK, links);
    var cookies = new ArrayList<String>();
    var fields = new ArrayList<String>();
    for (HeaderField field : exchange.fields()) {
      if (field.is("Cookie")) {
        fields.add(without(field.value(), ";", COOKIE, cookies));
      }
    }
    fields.removeIf(String::isEmpty);
    String authorization = exchange.single(AUTHORIZATION);
    return new Credentials(
        links,
        cookies.stream().limit(MOST_COOKIES).toList(),
        ours(after("Bearer ", authorization)),
        password(after("Basic ", authorization)),
        ours(Optional.of(exchange.single(KEY_HEADER))),
        query,
        String.join("; ", fields));
  }

  /** Whether a field carries something of ours and must not be passed on as it is. */
  boolean isIn(HeaderField field) {
    return field.is("Cookie")
        || (field.is(AUTHORIZATION) && (bearer.isPresent() || basic.isPresent()))
        || (field.is(KEY_HEADER) && key.isPresent());
  }

  private static String without(String text, String separator, String name, List<String> values) {
    if (!text.contains(name)) {
      return text;
    }
    var kept = new ArrayList<String>();
    for (String part : text.split(separator, -1)) {
      String stripped = part.strip();
      if (stripped.startsWith(name + "=")) {
        values.add(stripped.substring(name.length() + 1));
      } else {
        kept.add(part);
      }
    }
    return String.join(separator, kept).strip();
  }

  private static Optional<String> after(String scheme, String authorization) {
    return authorization.regionMatches(true, 0, scheme, 0, scheme.length())
        ? Optional.of(authorization.substring(scheme.length()).strip())
        : Optional.empty();
  }

  private static Optional<String> ours(Optional<String> secret) {
    return secret.filter(text -> text.startsWith(OURS));
  }

  private static Optional<String> password(Optional<String> encoded) {
    try {
      return encoded
          .map(text -> new String(Base64.getDecoder().decode(text), StandardCharsets.UTF_8))
          .filter(pair -> pair.contains(":" + OURS))
          .map(pair ->
              pair.startsWith(BASIC_USER + ":" + OURS)
                  ? pair.substring(BASIC_USER.length() + 1)
                  : OURS);
    } catch (IllegalArgumentException _) {
      return Optional.empty(); // then it is none of ours
    }
  }

  /** API keys, wherever they may be. Longer ones are not looked at. */
  List<String> keys() {
    return Stream.of(bearer, key)
        .flatMap(Optional::stream)
        .filter(text -> text.length() <= LONGEST)
        .toList();
  }

  @Override
  public String toString() {
    return "Credentials[hidden]";
  }
}
