package dev.cove.sdk.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that answers, byte for byte, whatever a test wants it to, well-formed or not. */
public final class ScriptedServer implements AutoCloseable {
  /** What to do with one connection; the socket is closed afterwards. */
  public interface Script {
    void play(Peer peer) throws Exception;
  }

  /** The server's end of one connection. */
  public static final class Peer {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    private Peer(Socket socket) throws IOException {
      this.socket = socket;
      this.in = socket.getInputStream();
      this.out = socket.getOutputStream();
    }

    public InputStream in() {
      return in;
    }

    /** Reads a request's head; empty at the end of the connection. */
    public String readHead() throws IOException {
      var head = new ByteArrayOutputStream();
      for (int b = in.read(); b >= 0; b = in.read()) {
        head.write(b);
        if (head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
          return head.toString(StandardCharsets.ISO_8859_1);
        }
      }
      return "";
    }

    public Peer send(String text) throws IOException {
      return send(text.getBytes(StandardCharsets.UTF_8));
    }

    public Peer send(byte[] bytes) throws IOException {
      out.write(bytes);
      out.flush();
      return this;
    }

    public Peer answer(String body) throws IOException {
      return send("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Waits until the other side has closed; gives what it sent meanwhile. */
    public byte[] readToEnd() throws IOException {
      return in.readAllBytes();
    }

    /** Closes with a reset, as a crash does. */
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  private final ServerSocket socket;
  private final Script script;
  private final AtomicInteger connections = new AtomicInteger();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Thread acceptor;

  public ScriptedServer(Script script) throws IOException {
    this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), script);
  }

  ScriptedServer(ServerSocket socket, Script script) {
    this.socket = socket;
    this.script = script;
    this.acceptor = Thread.ofVirtual().start(this::accept);
  }

  public URI url() {
    return URI.create("http://127.0.0.1:" + port());
  }

  int port() {
    return socket.getLocalPort();
  }

  HttpClient client() {
    return new HttpClient(Endpoint.of(url()), Map.of());
  }

  public int connections() {
    return connections.get();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket accepted = socket.accept();
        connections.incrementAndGet();
        open.add(accepted);
        Thread.ofVirtual().start(() -> play(accepted));
      } catch (IOException e) {
        // Closed by the test, or a TLS handshake that never was.
      }
    }
  }

  private void play(Socket accepted) {
    try (accepted) {
      script.play(new Peer(accepted));
    } catch (Exception e) {
      // The client hung up in the middle; what it saw is what the test looks at.
    } finally {
      open.remove(accepted);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    for (Socket each : open) {
      each.close();
    }
    try {
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
