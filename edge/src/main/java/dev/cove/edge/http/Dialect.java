package dev.cove.edge.http;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;

/**
 * A way to speak to this server: its paths, how a key is presented in it, and how it says no. The
 * native API is one of them.
 */
public interface Dialect {
  /** Whether a path is a matter of this dialect, also when nothing is there. */
  boolean owns(String path);

  List<Route> routes();

  /** The key that a request came with, as we write keys. */
  Optional<String> key(HttpFields headers);

  /** Whether a query parameter that a route does not know is refused, or else has no meaning. */
  boolean refusesUnknownParameters();

  /** Whether requests to this host are a matter of this dialect alone, whatever their path. */
  default boolean ownsHost(String host) {
    return false;
  }

  /**
   * Whether whoever asks for a port by that name is to be told of failures in this dialect's words:
   * its sandbox was made by it.
   */
  default boolean speaksOfPort(String host) {
    return false;
  }

  /** Where a request is to go that names its place not by its path alone. */
  default Optional<Renamed> rename(String host, String path, HttpFields headers) {
    return Optional.empty();
  }

  /**
   * What a request is taken for.
   *
   * @param fields that take the place of those of the same name
   */
  record Renamed(String path, Map<String, String> fields) {}

  /** What a caller is told of a failure. */
  Reply refusal(Throwable failure, Problem problem);

  /** A short answer, whole. */
  @SuppressWarnings("ArrayRecordComponent") // made, sent and forgotten; never compared
  record Reply(int status, String mediaType, byte[] body) {
    public static Reply json(int status, Object body) {
      return new Reply(status, "application/json", Json.write(body));
    }
  }
}
