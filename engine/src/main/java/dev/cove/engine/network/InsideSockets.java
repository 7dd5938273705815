package dev.cove.engine.network;

import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;

/**
 * What Cove holds open inside a cage's network.
 *
 * @param connections gets every TCP connection that a program inside makes, but those to loopback
 *     addresses; the local address of an accepted one is what the program asked for
 * @param names bound to the address that every cage asks for names
 */
public record InsideSockets(
    ServerSocketChannel connections, DatagramChannel names, AutoCloseable redirection)
    implements AutoCloseable {
  @Override
  public void close() throws IOException {
    try (connections;
        names) {
      redirection.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("A redirection could not be ended", e);
    }
  }
}
