package dev.cove.egress;

import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;

/**
 * What Cove holds open inside a sandbox's network.
 *
 * @param connections gets every TCP connection that a program in the sandbox makes, whatever its
 *     destination, but those to loopback addresses; the local address of an accepted connection is
 *     the destination that was asked for
 * @param names gets the DNS queries; bound to the gateway's address inside
 */
public record NetworkSockets(ServerSocketChannel connections, DatagramChannel names)
    implements AutoCloseable {
  @Override
  public void close() throws IOException {
    try (connections;
        names) {
      // Closed in this order.
    }
  }
}
