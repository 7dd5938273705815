package dev.cove.edge;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server as it may run in a sandbox: it says what it is told to and remembers what it heard. */
final class InnerServer implements AutoCloseable {
  /** What it does with a connection. */
  interface Script {
    void serve(Peer peer) throws IOException, InterruptedException;
  }

  private final ServerSocket listener;
  private final Script script;
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  private InnerServer(Script script) throws IOException {
    this.script = script;
    this.listener = new ServerSocket(0, 1_024, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  static InnerServer running(Script script) throws IOException {
    return new InnerServer(script);
  }

  /** Answers every request with these bytes and keeps the connection. */
  static InnerServer answering(String reply) throws IOException {
    return running(peer -> {
      while (!peer.readHead().isEmpty()) {
        peer.send(reply);
      }
    });
  }

  /** Answers one request with these bytes and hangs up. */
  static InnerServer answeringOnce(String reply) throws IOException {
    return running(peer -> {
      peer.readHead();
      peer.send(reply);
    });
  }

  static InnerServer plain() throws IOException {
    return answering("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ninside");
  }

  int port() {
    return listener.getLocalPort();
  }

  int connections() {
    return connections.get();
  }

  /** The heads of all requests so far. */
  List<String> heads() {
    return heads;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        connections.incrementAndGet();
        open.add(socket);
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // Closed: the test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      script.serve(new Peer(socket));
    } catch (IOException | InterruptedException e) {
      // The other end has heard enough.
    } finally {
      open.remove(socket);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }

  /** One connection. */
  final class Peer {
    private final InputStream in;
    private final OutputStream out;

    private Peer(Socket socket) throws IOException {
      socket.setTcpNoDelay(true);
      this.in = socket.getInputStream();
      this.out = socket.getOutputStream();
    }

    InputStream in() {
      return in;
    }

    /** Up to and with the empty line; nothing at the end of the connection. */
    String readHead() throws IOException {
      var head = new ByteArrayOutputStream();
      while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
        int next = in.read();
        if (next < 0) {
          return "";
        }
        head.write(next);
      }
      String text = head.toString(StandardCharsets.ISO_8859_1);
      heads.add(text);
      return text;
    }

    void send(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }
  }
}
