package dev.cove.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What stands before a server that is reached by name: takes TLS off and passes the bytes on. */
final class TlsFront implements AutoCloseable {
  private final ServerSocket listening;
  private final int behind;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  TlsFront(ServerSocket listening, int behind) {
    this.listening = listening;
    this.behind = behind;
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        open.add(client);
        Socket server = new Socket(InetAddress.getLoopbackAddress(), behind);
        open.add(server);
        Thread.ofVirtual().start(() -> pass(client, server));
        Thread.ofVirtual().start(() -> pass(server, client));
      } catch (IOException _) {
        // either it was closed, or this client was gone before he was served
      }
    }
  }

  private void pass(Socket from, Socket to) {
    try (from;
        to;
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      in.transferTo(out);
    } catch (IOException _) {
      // one of them hung up, and so does the other
    } finally {
      open.remove(from);
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
