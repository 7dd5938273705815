package dev.cove.egress.group;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;

/** The way into a sandbox's network. */
public interface Entrance {
  /** A socket in it that can be connected to its loopback addresses. */
  SocketChannel open(StandardProtocolFamily family) throws IOException;
}
