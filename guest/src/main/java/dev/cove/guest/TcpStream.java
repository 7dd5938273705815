package dev.cove.guest;

import java.io.InputStream;
import java.io.OutputStream;

/** A relayed TCP connection. Closing the output half-closes it, as TCP does. */
public interface TcpStream extends AutoCloseable {
  InputStream input();

  OutputStream output();

  /**
   * Whether, as far as is known here, both directions are open and nothing waits to be read:
   * whoever keeps a connection for later use asks before that use.
   */
  boolean isIdle();

  @Override
  void close();
}
