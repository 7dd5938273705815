package dev.cove.egress.decision;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The addresses that this machine has now. They change, so they are looked up now and then. */
public final class HostAddresses {
  private static final Logger LOG = LoggerFactory.getLogger(HostAddresses.class);
  private static final long AGE = Duration.ofSeconds(5).toNanos();

  private Set<InetAddress> known;
  private long lookedUp = System.nanoTime();

  /**
   * @throws SocketException without any there is no telling what is the host's
   */
  public HostAddresses() throws SocketException {
    known = lookUp();
  }

  /** When they cannot be looked up again, those that were known stay. */
  public synchronized boolean contains(InetAddress address) {
    if (System.nanoTime() - lookedUp > AGE) {
      lookedUp = System.nanoTime();
      try {
        known = lookUp();
      } catch (SocketException e) {
        LOG.warn("Could not look up this machine's own addresses", e);
      }
    }
    return known.contains(address);
  }

  private static Set<InetAddress> lookUp() throws SocketException {
    var found = new HashSet<InetAddress>();
    for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
      one.inetAddresses().map(HostAddresses::withoutScope).forEach(found::add);
    }
    return found;
  }

  private static InetAddress withoutScope(InetAddress address) {
    try {
      return InetAddress.getByAddress(address.getAddress());
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }
}
