package dev.cove.edge.http;

import java.util.Set;

/**
 * What the API answers to.
 *
 * @param path with {@code {name}} for a segment that varies
 * @param query the parameters that may follow; any other is refused
 * @param open needs no key
 * @param operators needs an operator's key
 */
public record Route(
    String method,
    String path,
    Set<String> query,
    boolean open,
    boolean operators,
    Endpoint endpoint) {
  public Route {
    query = Set.copyOf(query);
  }

  public static Route of(String method, String path, Endpoint endpoint) {
    return new Route(method, path, Set.of(), false, false, endpoint);
  }

  public Route query(String... names) {
    return new Route(method, path, Set.of(names), open, operators, endpoint);
  }

  public Route openToAll() {
    return new Route(method, path, query, true, operators, endpoint);
  }

  public Route forOperators() {
    return new Route(method, path, query, open, true, endpoint);
  }
}
