package dev.cove.testing.world;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server of the world outside, which keeps every byte that it gets. */
public final class WorldServer implements AutoCloseable {
  /** What it does with a connection. */
  public interface Manner {
    void serve(Socket socket, ByteArrayOutputStream seen) throws Exception;
  }

  /** Sends back whatever comes. */
  public static final Manner ECHO =
      (socket, seen) -> {
        byte[] buffer = new byte[64 << 10];
        for (int n; (n = socket.getInputStream().read(buffer)) >= 0; ) {
          synchronized (seen) {
            seen.write(buffer, 0, n);
          }
          socket.getOutputStream().write(buffer, 0, n);
        }
        socket.shutdownOutput();
      };

  private final ServerSocket listener = new ServerSocket();
  private final Manner manner;
  private final List<ByteArrayOutputStream> seen = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  public WorldServer(String address, Manner manner) throws IOException {
    this(address, 0, manner);
  }

  public WorldServer(String address, int port, Manner manner) throws IOException {
    this.manner = manner;
    listener.bind(new InetSocketAddress(InetAddress.ofLiteral(address), port), 1_024);
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  public int connections() {
    return seen.size();
  }

  public String got() {
    var all = new StringBuilder();
    for (ByteArrayOutputStream one : seen) {
      synchronized (one) {
        all.append(one.toString(StandardCharsets.ISO_8859_1));
      }
    }
    return all.toString();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        var bytes = new ByteArrayOutputStream();
        seen.add(bytes);
        sockets.add(socket);
        Thread.ofVirtual().start(() -> serve(socket, bytes));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serve(Socket socket, ByteArrayOutputStream bytes) {
    try (socket) {
      manner.serve(socket, bytes);
    } catch (Exception e) {
      // The test sees what came before.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
