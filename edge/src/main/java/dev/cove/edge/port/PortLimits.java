package dev.cove.edge.port;

import java.time.Duration;

/**
 * How many, how long. Tests shrink them; nobody else changes them.
 *
 * @param perSandbox requests and upgraded connections at once to all ports of a sandbox
 * @param reply until a server inside begins to answer
 * @param head from the first byte of its answer to the end of the headers
 * @param kept how long a connection to a server inside is kept for the next request
 * @param sweep how often all this, and whether a stream may still go on, is looked at
 */
public record PortLimits(
    int perSandbox, Duration reply, Duration head, Duration kept, Duration sweep) {
  public static final PortLimits DEFAULT =
      new PortLimits(
          512,
          Duration.ofMinutes(5),
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofMillis(500));
}
