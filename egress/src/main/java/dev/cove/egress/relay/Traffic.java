package dev.cove.egress.relay;

import java.io.IOException;

/** Is told of what a connection does. */
public interface Traffic {
  /**
   * @param where an address, or another sandbox
   */
  void dialled(String where);

  /**
   * @throws IOException there may be no more of them
   */
  void sent(long bytes) throws IOException;

  /**
   * @throws IOException there may be no more of them
   */
  void received(long bytes) throws IOException;
}
