package dev.cove.edge.port;

import dev.cove.control.port.PortAddress;
import dev.cove.guest.TcpStream;
import java.util.Optional;

/** Servers inside that are started when somebody wants something of them. */
public interface LateServers {
  /** A connection to one that was not there, once it is; empty when none belongs to that port. */
  Optional<TcpStream> start(PortAddress address);
}
