package dev.cove.edge.port;

import dev.cove.guest.TcpStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The answer of a server inside to a request that is ours, and not passed on for somebody. */
public final class InsideReply implements AutoCloseable {
  private final SandboxConnection connection;
  private final int status;

  private InsideReply(SandboxConnection connection, int status) {
    this.connection = connection;
    this.status = status;
  }

  /**
   * Asks over a connection of its own, which is closed with the answer.
   *
   * @param body JSON; empty for none
   */
  public static InsideReply ask(TcpStream stream, String method, String path, byte[] body)
      throws IOException {
    var connection = new SandboxConnection(stream);
    boolean answered = false;
    try {
      var request = new ByteArrayOutputStream();
      request.writeBytes(
          ("%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  + "Content-Length: %d\r\nConnection: close\r\n\r\n")
              .formatted(method, path, body.length)
              .getBytes(StandardCharsets.US_ASCII));
      request.writeBytes(body);
      connection.ask(request.toByteArray());
      if (!connection.awaitReply()) {
        throw new EOFException("The server in the sandbox hung up");
      }
      var reply = new InsideReply(connection, connection.readHead(false, false).status());
      answered = true;
      return reply;
    } finally {
      if (!answered) {
        connection.close();
      }
    }
  }

  public int status() {
    return status;
  }

  /** The body as it comes. */
  public InputStream body() {
    return new Pieces(connection);
  }

  /** Also ends whoever waits for more of the body. */
  @Override
  public void close() {
    connection.close();
  }

  private static final class Pieces extends InputStream {
    private final SandboxConnection connection;
    private @Nullable ByteBuffer piece;

    Pieces(SandboxConnection connection) {
      this.connection = connection;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      ByteBuffer now = piece;
      while (now == null || !now.hasRemaining()) {
        now = connection.nextPiece();
        piece = now;
        if (now == null) {
          return -1;
        }
      }
      int count = Math.min(length, now.remaining());
      now.get(bytes, offset, count);
      return count;
    }
  }
}
