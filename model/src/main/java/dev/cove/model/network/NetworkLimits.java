package dev.cove.model.network;

/**
 * How much a sandbox may have of the network. Zero is for as much as the server lets anybody have.
 *
 * @param connections open at once
 * @param newConnections per second; twice as many at once after a pause
 * @param nameQueries per second; twice as many at once after a pause
 * @param bytesPerHour sent and received together
 */
public record NetworkLimits(
    int connections, int newConnections, int nameQueries, long bytesPerHour) {
  public static final NetworkLimits NONE = new NetworkLimits(0, 0, 0, 0);

  public NetworkLimits {
    if (connections < 0 || newConnections < 0 || nameQueries < 0 || bytesPerHour < 0) {
      throw new IllegalArgumentException("A limit of a network is a positive number");
    }
  }

  /** The same, but never more than that. */
  public NetworkLimits within(NetworkLimits maximum) {
    return new NetworkLimits(
        (int) stricter(connections, maximum.connections),
        (int) stricter(newConnections, maximum.newConnections),
        (int) stricter(nameQueries, maximum.nameQueries),
        stricter(bytesPerHour, maximum.bytesPerHour));
  }

  private static long stricter(long own, long maximum) {
    return own == 0 ? maximum : maximum == 0 ? own : Math.min(own, maximum);
  }

  /**
   * @throws IllegalArgumentException naming the first that is over its maximum
   */
  public void requireWithin(NetworkLimits maximum) {
    require("connections", connections, maximum.connections);
    require("newConnectionsPerSecond", newConnections, maximum.newConnections);
    require("nameQueriesPerSecond", nameQueries, maximum.nameQueries);
    require("bytesPerHour", bytesPerHour, maximum.bytesPerHour);
  }

  private static void require(String what, long own, long maximum) {
    if (maximum != 0 && own > maximum) {
      throw new IllegalArgumentException(
          "network.limits.%s is %d, and this server allows at most %d"
              .formatted(what, own, maximum));
    }
  }
}
