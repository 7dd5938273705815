package dev.cove.edge;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A socket that says exactly what it is told, however wrong, and reads what comes back. */
final class RawConnection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  RawConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout((int) RunningEdge.PATIENCE.toMillis());
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  RawConnection send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawConnection send(byte... bytes) throws IOException {
    out.write(bytes);
    out.flush();
    return this;
  }

  /** Request line and headers, with Host and key, open for more lines. */
  RawConnection head(RunningEdge edge, String line) throws IOException {
    return head(edge.key(), line);
  }

  RawConnection head(String key, String line) throws IOException {
    return send(line + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key + "\r\n");
  }

  record Reply(int status, Map<String, String> headers, String body) {
    String code() {
      return RunningEdge.JSON.readTree(body).path("code").asString("");
    }
  }

  /** Status line and headers; the body stays unread. */
  Reply readHead() throws IOException {
    String status = readLine();
    var headers = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    for (String line = readLine(); !line.isEmpty(); line = readLine()) {
      int colon = line.indexOf(':');
      headers.put(line.substring(0, colon), line.substring(colon + 1).strip());
    }
    return new Reply(Integer.parseInt(status.split(" ")[1]), headers, "");
  }

  Reply readReply() throws IOException {
    Reply head = readHead();
    return new Reply(head.status(), head.headers(), readBody(head.headers()));
  }

  private String readBody(Map<String, String> headers) throws IOException {
    String length = headers.get("Content-Length");
    if (length != null) {
      return new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.UTF_8);
    }
    if ("chunked".equals(headers.getOrDefault("Transfer-Encoding", "").toLowerCase(Locale.ROOT))) {
      var body = new ByteArrayOutputStream();
      for (int size = chunkSize(); size > 0; size = chunkSize()) {
        body.write(in.readNBytes(size));
        readLine();
      }
      while (!readLine().isEmpty()) {}
      return body.toString(StandardCharsets.UTF_8);
    }
    return "";
  }

  private int chunkSize() throws IOException {
    return Integer.parseInt(readLine(), 16);
  }

  String readLine() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("The connection ended after: " + line);
      }
      line.write(b);
    }
    return line.toString(StandardCharsets.UTF_8).stripTrailing();
  }

  int read() throws IOException {
    return in.read();
  }

  byte[] read(int length) throws IOException {
    return in.readNBytes(length);
  }

  /** Whether the other end has closed, waiting for it to do so. */
  boolean isClosed() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
