package dev.cove.model.network;

import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Addresses that mean something in the network of every sandbox, and nowhere else. They are from a
 * range that is set aside for tests of network devices, so no host of the world has them.
 */
public final class InsideAddresses {
  /** Where Cove itself answers. */
  public static final InetAddress GATEWAY = InetAddress.ofLiteral("198.18.0.1");

  /** At {@link #GATEWAY}, by UDP and by TCP. */
  public static final int DNS_PORT = 53;

  /** At {@link #GATEWAY}, for programs that insist on a proxy. */
  public static final int PROXY_PORT = 3128;

  /** One for each name that a sandbox has asked for, and the gateway's own. */
  public static final AddressRange NAMES = AddressRange.of("198.18.0.0/15");

  /**
   * Cove's listener is bound to this port of all addresses, loopback included: one that no program
   * wants. Connections to all other ports, but of loopback addresses, are handed to it as well.
   */
  public static final int LISTENER_PORT = 1;

  /** What a sandbox's programs see as their own. */
  public static final InetAddress OWN = InetAddress.ofLiteral("198.19.255.254");

  /** Where servers inside that are for their own sandbox listen, in the order to be tried. */
  public static final Map<StandardProtocolFamily, InetAddress> LOOPBACK =
      Collections.unmodifiableMap(
          new EnumMap<>(
              Map.of(
                  StandardProtocolFamily.INET, InetAddress.ofLiteral("127.0.0.1"),
                  StandardProtocolFamily.INET6, InetAddress.ofLiteral("::1"))));

  private InsideAddresses() {}
}
