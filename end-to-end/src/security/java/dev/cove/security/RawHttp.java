package dev.cove.security;

import dev.cove.e2e.RunningServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Bytes on a connection, well-formed or not. */
final class RawHttp {
  private static final Pattern STATUS =
      Pattern.compile("^HTTP/1\\.1 ([0-9]{3}) ", Pattern.MULTILINE);
  private static final int READ_MILLIS = 30_000;
  private static final int MOST = 4 * 1024 * 1024;

  private final int port;

  private RawHttp(int port) {
    this.port = port;
  }

  static RawHttp to(RunningServer server) {
    return new RawHttp(server.url().getPort());
  }

  /** Everything that the server sent until it hung up. */
  record Answer(String text) {
    /** The status, or 0 when it hung up without an answer. */
    int status() {
      var matcher = STATUS.matcher(text);
      return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    long count() {
      return STATUS.matcher(text).results().count();
    }
  }

  Socket open() throws IOException {
    var socket = new Socket();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), READ_MILLIS);
    socket.setSoTimeout(READ_MILLIS);
    return socket;
  }

  Answer exchange(String request) throws IOException {
    return exchange(request.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Sends and reads to the end; a server that hangs up early is an answer as well. */
  Answer exchange(byte[] request) throws IOException {
    try (Socket socket = open()) {
      try {
        OutputStream out = socket.getOutputStream();
        out.write(request);
        out.flush();
      } catch (SocketException e) {
        // It has heard enough; it may have said why.
      }
      return new Answer(readToEnd(socket));
    }
  }

  static String readToEnd(Socket socket) throws IOException {
    var text = new ByteArrayOutputStream();
    byte[] piece = new byte[8192];
    InputStream in = socket.getInputStream();
    try {
      for (int n = in.read(piece); n >= 0 && text.size() < MOST; n = in.read(piece)) {
        text.write(piece, 0, n);
      }
    } catch (SocketTimeoutException e) {
      throw new AssertionError("The server neither answered nor hung up: " + text, e);
    } catch (SocketException e) {
      // A reset ends the answer like anything else.
    }
    return text.toString(StandardCharsets.ISO_8859_1);
  }
}
