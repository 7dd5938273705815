package dev.cove.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Passes everything on, but what a WebSocket's server says only once it is told to. */
final class HoldingProxy implements AutoCloseable {
  private final URI server;
  private final ServerSocket listener;
  private final CountDownLatch released = new CountDownLatch(1);
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  HoldingProxy(URI server) throws IOException {
    this.server = server;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  void release() {
    released.countDown();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        var behind = new Socket(server.getHost(), server.getPort());
        open.add(client);
        open.add(behind);
        Thread.ofVirtual().start(() -> pass(client, behind));
        Thread.ofVirtual().start(() -> pass(behind, client));
      } catch (IOException e) {
        return; // the test is over
      }
    }
  }

  private void pass(Socket from, Socket to) {
    byte[] buffer = new byte[16 * 1024];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        var text = new String(buffer, 0, n, StandardCharsets.ISO_8859_1);
        boolean upgrade = text.startsWith("HTTP/1.1 101");
        int head = upgrade ? text.indexOf("\r\n\r\n") + 4 : n;
        out.write(buffer, 0, head);
        if (upgrade) {
          released.await();
        }
        out.write(buffer, head, n - head);
      }
    } catch (IOException e) {
      // One side hung up; closing both is all there is to do.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    release();
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
