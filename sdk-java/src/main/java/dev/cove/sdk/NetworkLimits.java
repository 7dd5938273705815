package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import java.util.Optional;

/**
 * How much of the network a sandbox may have, within what the server lets anybody have; what is not
 * said is up to the server. Over a limit connections and DNS queries are refused at once, and the
 * log names the limit. Begin with {@link #usual}; each method gives a copy.
 *
 * @param connections open at once
 * @param newConnectionsPerSecond twice as many at once after a pause
 * @param nameQueriesPerSecond twice as many at once after a pause
 * @param bytesPerHour sent and received together
 */
public record NetworkLimits(
    Optional<Integer> connections,
    Optional<Integer> newConnectionsPerSecond,
    Optional<Integer> nameQueriesPerSecond,
    Optional<Long> bytesPerHour) {
  /** The server's. */
  public static NetworkLimits usual() {
    return new NetworkLimits(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  static NetworkLimits of(JsonObject json) {
    return new NetworkLimits(
        json.findLong("connections").map(Long::intValue),
        json.findLong("newConnectionsPerSecond").map(Long::intValue),
        json.findLong("nameQueriesPerSecond").map(Long::intValue),
        json.findLong("bytesPerHour"));
  }

  public NetworkLimits connections(int number) {
    return new NetworkLimits(
        Optional.of(number), newConnectionsPerSecond, nameQueriesPerSecond, bytesPerHour);
  }

  public NetworkLimits newConnectionsPerSecond(int number) {
    return new NetworkLimits(connections, Optional.of(number), nameQueriesPerSecond, bytesPerHour);
  }

  public NetworkLimits nameQueriesPerSecond(int number) {
    return new NetworkLimits(
        connections, newConnectionsPerSecond, Optional.of(number), bytesPerHour);
  }

  public NetworkLimits bytesPerHour(long number) {
    return new NetworkLimits(
        connections, newConnectionsPerSecond, nameQueriesPerSecond, Optional.of(number));
  }

  JsonObject toBody() {
    var json = JsonObject.builder();
    connections.ifPresent(number -> json.put("connections", number));
    newConnectionsPerSecond.ifPresent(number -> json.put("newConnectionsPerSecond", number));
    nameQueriesPerSecond.ifPresent(number -> json.put("nameQueriesPerSecond", number));
    bytesPerHour.ifPresent(number -> json.put("bytesPerHour", number));
    return json.build();
  }
}
