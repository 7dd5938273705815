package dev.cove.sdk.transport;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** An answer whose body is still on the wire. Closing it frees the connection. */
public final class Response implements AutoCloseable {
  private static final int DRAIN_LIMIT = 64 * 1024;

  private final ResponseHead head;
  private final HttpConnection connection;
  private final ResponseBody body;
  private final HttpClient owner;
  private boolean closed;

  Response(ResponseHead head, HttpConnection connection, ResponseBody body, HttpClient owner) {
    this.head = head;
    this.connection = connection;
    this.body = body;
    this.owner = owner;
  }

  public int status() {
    return head.status();
  }

  public Optional<String> header(String lowerCaseName) {
    return head.find(lowerCaseName);
  }

  /** Closing this stream closes the answer. */
  public InputStream body() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        return body.read();
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        return body.read(target, offset, length);
      }

      @Override
      public void close() {
        Response.this.close();
      }
    };
  }

  /** The whole body, which may be no longer than {@code max}. */
  public byte[] readAll(int max) throws IOException {
    byte[] bytes = body.readNBytes(max);
    if (bytes.length == max && body.read() >= 0) {
      throw new ProtocolException("The server's answer is longer than " + max + " bytes");
    }
    return bytes;
  }

  /** Ends the connection from another thread, so that a reader of the body does not wait on. */
  public void abort() {
    connection.close();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (head.keepsAlive() && drained()) {
      owner.giveBack(connection);
    } else {
      connection.close();
    }
  }

  // Reading a short rest is cheaper than a new connection; a long one is not.
  private boolean drained() {
    if (body.finished()) {
      return true;
    }
    try {
      if (head.contentLength() < 0 || head.contentLength() > DRAIN_LIMIT) {
        return false;
      }
      body.skip(DRAIN_LIMIT);
      return body.read() < 0 && body.finished();
    } catch (IOException e) {
      return false;
    }
  }
}
