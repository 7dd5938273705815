package dev.cove.sdk.transport;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** One socket to the server, used by one request at a time. */
final class HttpConnection implements AutoCloseable {
  private static final int LIVENESS_CHECK_MILLIS = 1;
  private static final Duration EARLY_ANSWER_TIMEOUT = Duration.ofSeconds(2);

  private final Socket socket;
  private final WireInput input;
  private final OutputStream output;
  private long idleSinceNanos;

  HttpConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.input = new WireInput(socket.getInputStream());
    this.output = new BufferedOutputStream(socket.getOutputStream(), 16 * 1024);
  }

  WireInput input() {
    return input;
  }

  OutputStream output() {
    return output;
  }

  void readTimeout(Duration timeout) throws IOException {
    long millis = Math.min(timeout.toMillis(), Integer.MAX_VALUE);
    socket.setSoTimeout((int) millis);
  }

  /** Sends the request and reads the head of the answer. */
  ResponseHead exchange(Request request, String authority, Map<String, String> common)
      throws IOException {
    readTimeout(request.readTimeout());
    try {
      writeHead(request, authority, common);
      writeBody(request.body());
      output.flush();
    } catch (SourceFailedException e) {
      throw e;
    } catch (IOException e) {
      return earlyAnswer(e);
    }
    return ResponseHead.read(input);
  }

  /** A server that refuses a body may answer and hang up before it has read all of it. */
  private ResponseHead earlyAnswer(IOException cause) throws IOException {
    try {
      readTimeout(EARLY_ANSWER_TIMEOUT);
      return ResponseHead.read(input);
    } catch (IOException none) {
      cause.addSuppressed(none);
      throw cause;
    }
  }

  private void writeHead(Request request, String authority, Map<String, String> common)
      throws IOException {
    var head = new StringBuilder(512);
    head.append(request.method()).append(' ').append(request.target()).append(" HTTP/1.1\r\n");
    header(head, "Host", authority);
    common.forEach((name, value) -> header(head, name, value));
    request.headers().forEach((name, value) -> header(head, name, value));
    switch (request.body()) {
      case Body.None() -> {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
          header(head, "Content-Length", "0");
        }
      }
      case Body.Bytes(byte[] bytes, String type) -> {
        header(head, "Content-Type", type);
        header(head, "Content-Length", Integer.toString(bytes.length));
      }
      case Body.Streamed(_, long length, String type) -> {
        header(head, "Content-Type", type);
        if (length >= 0) {
          header(head, "Content-Length", Long.toString(length));
        } else {
          header(head, "Transfer-Encoding", "chunked");
        }
      }
    }
    output.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
  }

  private static void header(StringBuilder head, String name, String value) {
    head.append(name).append(": ").append(value).append("\r\n");
  }

  private void writeBody(Body body) throws IOException {
    switch (body) {
      case Body.None() -> {}
      case Body.Bytes(byte[] bytes, _) -> output.write(bytes);
      case Body.Streamed(InputStream source, long length, _) -> {
        if (length >= 0) {
          writeExactly(source, length);
        } else {
          writeChunks(source);
        }
      }
    }
  }

  private void writeExactly(InputStream source, long length) throws IOException {
    byte[] buffer = new byte[64 * 1024];
    long left = length;
    while (left > 0) {
      int count = readSource(source, buffer, (int) Math.min(buffer.length, left));
      if (count < 0) {
        throw new SourceFailedException("The source ended " + left + " bytes early", null);
      }
      output.write(buffer, 0, count);
      left -= count;
    }
  }

  private void writeChunks(InputStream source) throws IOException {
    byte[] buffer = new byte[64 * 1024];
    for (int count = readSource(source, buffer, buffer.length);
        count >= 0;
        count = readSource(source, buffer, buffer.length)) {
      if (count > 0) {
        output.write((Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        output.write(buffer, 0, count);
        output.write('\r');
        output.write('\n');
        // What the source has given must not wait for what it may give later.
        output.flush();
      }
    }
    output.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  private static int readSource(InputStream source, byte[] buffer, int length) throws IOException {
    try {
      return source.read(buffer, 0, length);
    } catch (IOException e) {
      throw new SourceFailedException("The source of the upload could not be read", e);
    }
  }

  void markIdle() {
    idleSinceNanos = System.nanoTime();
  }

  Duration idleFor() {
    return Duration.ofNanos(System.nanoTime() - idleSinceNanos);
  }

  /** Waits a moment for the end of stream that a server sends when it drops an idle connection. */
  boolean looksAlive() {
    if (input.hasBuffered()) {
      return false;
    }
    try {
      socket.setSoTimeout(LIVENESS_CHECK_MILLIS);
      input.read();
      return false;
    } catch (SocketTimeoutException quiet) {
      return true;
    } catch (IOException broken) {
      return false;
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // Nothing more can be done for a socket that does not close; its descriptor is gone anyway.
    }
  }
}
