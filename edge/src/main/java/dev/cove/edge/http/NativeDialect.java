package dev.cove.edge.http;

import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** Cove's own API, as {@code /api/openapi.json} describes it. */
public final class NativeDialect implements Dialect {
  private static final String BEARER = "Bearer ";

  private final List<Route> routes;

  public NativeDialect(List<Route> routes) {
    this.routes = List.copyOf(routes);
  }

  /** Whatever no other dialect owns. */
  @Override
  public boolean owns(String path) {
    return true;
  }

  @Override
  public List<Route> routes() {
    return routes;
  }

  /** In exactly one header. */
  @Override
  public Optional<String> key(HttpFields headers) {
    List<String> authorization = headers.getValuesList(HttpHeader.AUTHORIZATION);
    List<String> plain = headers.getValuesList("X-API-Key");
    if (authorization.size() + plain.size() != 1) {
      return Optional.empty();
    }
    return plain.isEmpty() ? bearer(authorization.getFirst()) : Optional.of(plain.getFirst());
  }

  private static Optional<String> bearer(String value) {
    return value.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? Optional.of(value.substring(BEARER.length()).strip())
        : Optional.empty();
  }

  @Override
  public boolean refusesUnknownParameters() {
    return true;
  }

  @Override
  public Reply refusal(Throwable failure, Problem problem) {
    return reply(problem);
  }

  static Reply reply(Problem problem) {
    return new Reply(problem.status(), Problem.MEDIA_TYPE, Json.write(problem));
  }
}
