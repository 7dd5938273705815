package dev.cove.egress;

import java.time.Duration;

/**
 * How much of everything one sandbox may have.
 *
 * @param connections open at once
 * @param newConnections per second; twice as many at once after a pause
 * @param nameQueries per second; twice as many at once after a pause
 * @param bytes both ways together, for as long as it is attached
 * @param idle after which a connection without a byte is cut
 * @param dial for a connection to the world to come about
 * @param head for a request's head, or a TLS client's greeting
 * @param waiting connections that wait for the owner's answer
 * @param answer how long they wait for it
 */
public record GatewayLimits(
    int connections,
    int newConnections,
    int nameQueries,
    long bytes,
    Duration idle,
    Duration dial,
    Duration head,
    int waiting,
    Duration answer) {
  public static final GatewayLimits USUAL =
      new GatewayLimits(
          4_096,
          500,
          300,
          Long.MAX_VALUE,
          Duration.ofHours(1),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          64,
          Duration.ofSeconds(60));
}
