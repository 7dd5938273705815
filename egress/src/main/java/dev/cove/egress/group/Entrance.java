package dev.cove.egress.group;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;

/** The way into a sandbox's network. */
public interface Entrance {
  /**
   * A socket in it that can be connected to its loopback addresses. A sandbox that stands still is
   * woken first: its kernel would take connections that nobody answers.
   */
  SocketChannel open(StandardProtocolFamily family) throws IOException;

  /** Something was sent into it: wakes it if it has come to stand still meanwhile. Cheap if not. */
  default void stir() {}

  /** Something came out of it. Must not wait. */
  default void passed() {}
}
