package dev.cove.egress;

import dev.cove.testing.world.WorldServer;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;

/** An API of the world outside over HTTP/1.1, which keeps what it gets and says it back. */
final class ApiServer implements AutoCloseable {
  private final WorldServer server;

  /** Lets the second half of a streamed answer go. */
  final CountDownLatch second = new CountDownLatch(1);

  ApiServer(SSLContext context) throws IOException {
    server =
        new WorldServer(
            "127.77.0.1",
            (socket, seen) ->
                serve(context.getSocketFactory().createSocket(socket, null, true), seen));
  }

  /** Without TLS. */
  ApiServer() throws IOException {
    server = new WorldServer("127.77.0.1", this::serve);
  }

  int port() {
    return server.port();
  }

  int connections() {
    return server.connections();
  }

  String got() {
    return server.got();
  }

  private void serve(Socket socket, ByteArrayOutputStream seen) throws Exception {
    var in = new BufferedInputStream(socket.getInputStream());
    while (true) {
      String head = head(in);
      if (head.isEmpty()) {
        return;
      }
      synchronized (seen) {
        seen.writeBytes(bytes(head));
      }
      String path = head.split("[ ?]")[1];
      if (path.equals("/upload")) {
        long length = drain(in, length(head));
        say(socket, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n%010d".formatted(length));
      } else {
        String body = new String(in.readNBytes((int) length(head)), StandardCharsets.ISO_8859_1);
        synchronized (seen) {
          seen.writeBytes(bytes(body));
        }
        answer(path, head + body, in, socket);
        if (head.contains("Connection: close")) {
          return;
        }
      }
    }
  }

  private void answer(String path, String echo, InputStream in, Socket socket) throws Exception {
    OutputStream out = socket.getOutputStream();
    switch (path) {
      case "/gzip" -> {
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
          gzip.write(bytes(echo));
        }
        say(
            socket,
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
                .formatted(packed.size()));
        out.write(packed.toByteArray());
      }
      case "/brotli" ->
          say(socket, "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\nabcd");
      case "/part" ->
          say(
              socket,
              "HTTP/1.1 206 Partial Content\r\nContent-Encoding: gzip\r\n"
                  + "Content-Range: bytes 0-3/9\r\nContent-Length: 4\r\n\r\nabcd");
      case "/chunks" -> {
        say(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n");
        for (byte each : bytes(echo)) {
          out.write(new byte[] {'1', '\r', '\n', each, '\r', '\n'});
        }
        say(
            socket,
            "0\r\nX-End: "
                + echo.replaceAll("(?s).*Authorization: (.*?)\r\n.*", "$1")
                + "\r\n\r\n");
      }
      case "/bytes" -> {
        say(socket, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n".formatted(echo.length()));
        for (byte each : bytes(echo)) {
          out.write(each);
        }
      }
      case "/until-end" -> {
        say(socket, "HTTP/1.1 200 OK\r\n\r\n" + echo);
        socket.close();
      }
      case "/field" -> {
        String credentials = echo.replaceAll("(?s).*Authorization: (.*?)\r\n.*", "$1");
        say(
            socket,
            "HTTP/1.1 302 %s\r\nLocation: https://x/?t=%s\r\nSet-Cookie: t=%s\r\nContent-Length: 0\r\n\r\n"
                .formatted(credentials, credentials, credentials));
      }
      case "/events" -> {
        say(socket, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: first\n\n");
        if (!second.await(15, TimeUnit.SECONDS)) {
          throw new IOException("The first event was never seen");
        }
        say(socket, "data: second\n\n");
        socket.close();
      }
      case "/upgrade" -> {
        say(
            socket,
            "HTTP/1.1 101 Switching Protocols\r\n"
                + "Connection: Upgrade\r\n"
                + "Upgrade: websocket\r\n\r\n");
        for (int b; (b = in.read()) >= 0; ) {
          out.write(b);
          out.flush();
        }
        socket.shutdownOutput();
      }
      case "/big" -> {
        long size = 200L << 20;
        say(socket, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n".formatted(size));
        byte[] block = new byte[64 << 10];
        for (long sent = 0; sent < size; sent += block.length) {
          out.write(block);
        }
      }
      default ->
          say(
              socket,
              "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s".formatted(echo.length(), echo));
    }
    out.flush();
  }

  private static long drain(InputStream in, long length) throws IOException {
    byte[] buffer = new byte[64 << 10];
    long left = length;
    while (left > 0) {
      int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
      if (read < 0) {
        throw new EOFException();
      }
      left -= read;
    }
    return length;
  }

  private static long length(String head) {
    return head.toLowerCase(java.util.Locale.ROOT)
        .lines()
        .filter(line -> line.startsWith("content-length:"))
        .mapToLong(line -> Long.parseLong(line.substring(15).strip()))
        .findFirst()
        .orElse(0);
  }

  private static String head(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
      int c = in.read();
      if (c < 0) {
        return "";
      }
      head.append((char) c);
    }
    return head.toString();
  }

  private static void say(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(bytes(text));
    socket.getOutputStream().flush();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    second.countDown();
    server.close();
  }
}
