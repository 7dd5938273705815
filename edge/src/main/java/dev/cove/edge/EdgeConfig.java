package dev.cove.edge;

/**
 * Where the edge listens and what it says of itself.
 *
 * @param host an address or name to bind; a name given here is also accepted as Host
 * @param port 0 for any free one
 * @param domain below which ports of sandboxes have names
 * @param makesBase whether the template that E2B's clients begin with is made when they want it
 */
public record EdgeConfig(String host, int port, String domain, boolean makesBase, String version) {
  public EdgeConfig {
    if (host.isBlank()) {
      throw new IllegalArgumentException("host must name an address to listen on");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be between 0 and 65535, was " + port);
    }
    if (domain.isBlank()) {
      throw new IllegalArgumentException("domain must be a name");
    }
  }
}
