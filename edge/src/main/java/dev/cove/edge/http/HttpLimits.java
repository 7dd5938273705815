package dev.cove.edge.http;

import java.time.Duration;

/**
 * How much, how many, how long. Tests shrink them; nobody else changes them.
 *
 * @param idle without a byte in either direction while one is awaited
 * @param head from the first byte of a request to the end of its headers
 * @param bodyGrace how long a body may be slower than {@code bodyBytesPerSecond}
 * @param tick how often a long answer looks whether its key still holds
 * @param heartbeat how often a silent stream says that it lives
 * @param silence how long the other end of a WebSocket may say nothing, not even pong
 */
public record HttpLimits(
    int connections,
    int sockets,
    Duration idle,
    Duration head,
    Duration bodyGrace,
    long bodyBytesPerSecond,
    Duration tick,
    Duration heartbeat,
    Duration silence,
    Duration stop) {
  static final int JSON_BODY = 1024 * 1024;
  static final int HEADERS = 16 * 1024;
  static final int URI = 8 * 1024;

  public static final HttpLimits DEFAULT =
      new HttpLimits(
          10_000,
          4_000,
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          1_024,
          Duration.ofSeconds(4),
          Duration.ofSeconds(15),
          Duration.ofSeconds(40),
          Duration.ofSeconds(3));
}
