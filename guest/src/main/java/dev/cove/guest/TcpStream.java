package dev.cove.guest;

import java.io.InputStream;
import java.io.OutputStream;

/** A relayed TCP connection. Closing the output half-closes it, as TCP does. */
public interface TcpStream extends AutoCloseable {
  InputStream input();

  OutputStream output();

  @Override
  void close();
}
