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

  /**
   * Says whether somebody waits for what the server has to say next. A sandbox that is paused in
   * the middle of that is woken again, as it would be by the same question a moment later.
   */
  default void owesAnswer(boolean owed) {}

  @Override
  void close();
}
