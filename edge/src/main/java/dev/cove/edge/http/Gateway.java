package dev.cove.edge.http;

import java.io.IOException;

/** Takes requests that are not for the API, by the name they came to or by their path. */
public interface Gateway {
  /** Whether requests to this host are for the gateway, and never for the API. */
  boolean ownsHost(String host);

  /** Whether requests for this path, to a name of the API's, are for the gateway. */
  boolean ownsPath(String path);

  /** Answers on the thread it is called on, or refuses by an exception. */
  void handle(RawExchange exchange) throws IOException, InterruptedException;
}
