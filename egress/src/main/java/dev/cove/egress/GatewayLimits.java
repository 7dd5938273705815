package dev.cove.egress;

import dev.cove.model.network.NetworkLimits;
import java.time.Duration;

/**
 * How much of everything one sandbox may have.
 *
 * @param connections open at once
 * @param newConnections per second; twice as many at once after a pause
 * @param nameQueries per second; twice as many at once after a pause
 * @param bytesPerHour both ways together; zero for no limit
 * @param visits connections that others of its group have to it, all together
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
    long bytesPerHour,
    int visits,
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
          0,
          2_048,
          Duration.ofHours(1),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          64,
          Duration.ofSeconds(60));

  /** The same but for what a sandbox may be given less of. */
  public GatewayLimits with(NetworkLimits most) {
    return new GatewayLimits(
        most.connections(),
        most.newConnections(),
        most.nameQueries(),
        most.bytesPerHour(),
        visits,
        idle,
        dial,
        head,
        waiting,
        answer);
  }

  /** What a sandbox may be given less of. */
  public NetworkLimits most() {
    return new NetworkLimits(connections, newConnections, nameQueries, bytesPerHour);
  }
}
