package dev.cove.egress.relay;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Is told of what a connection does. */
public interface Traffic {
  void dialled(InetSocketAddress address);

  /**
   * @throws IOException there may be no more of them
   */
  void sent(long bytes) throws IOException;

  /**
   * @throws IOException there may be no more of them
   */
  void received(long bytes) throws IOException;
}
