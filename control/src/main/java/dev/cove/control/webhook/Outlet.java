package dev.cove.control.webhook;

import java.io.IOException;
import java.net.URI;
import java.util.Map;

/** The way to addresses that callers name, which lead nowhere that callers may not reach. */
@FunctionalInterface
public interface Outlet {
  /**
   * Posts once, follows nothing, and takes only so long.
   *
   * @return the status of the answer
   * @throws IOException with a message for people, when there was none
   */
  int post(URI url, Map<String, String> fields, byte[] body)
      throws IOException, InterruptedException;
}
