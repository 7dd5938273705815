package dev.cove.edge.port;

import dev.cove.edge.http.RawExchange;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a request's body to the server inside while its answer may already be on its way back. When
 * the server takes no more, the rest is read and dropped: a client that still sends reads no
 * answer.
 */
final class BodySender {
  private static final Logger LOG = LoggerFactory.getLogger(BodySender.class);
  private static final int PIECE = 16 * 1024;

  /** Room before each piece for the size of a chunk. */
  private static final int ROOM = 6;

  private static final byte[] LAST_CHUNK = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private final RawExchange exchange;
  private final SandboxConnection connection;
  private final Passage passage;
  private final Duration patience;
  private final Thread thread;
  private boolean complete;

  private BodySender(
      RawExchange exchange, SandboxConnection connection, Passage passage, Duration patience) {
    this.exchange = exchange;
    this.connection = connection;
    this.passage = passage;
    this.patience = patience;
    this.thread = Thread.ofVirtual().name("port-upload").unstarted(this::run);
  }

  static BodySender start(
      RawExchange exchange, SandboxConnection connection, Passage passage, Duration patience) {
    var sender = new BodySender(exchange, connection, passage, patience);
    sender.thread.start();
    return sender;
  }

  /**
   * To be called when the answer is complete: waits a moment for the client to finish.
   *
   * @return whether the server inside got all of the body
   */
  boolean finish(Duration moment) throws InterruptedException {
    if (thread.isAlive()) {
      connection.close(); // it has answered, so it needs no more
      thread.join(moment);
    }
    return !thread.isAlive() && complete;
  }

  private void run() {
    try {
      if (!send()) {
        drop();
      }
    } catch (IOException e) {
      LOG.debug("A client broke off in the middle of a request", e);
      connection.close(); // the server inside must not take half a body for a whole one
    }
  }

  /** False when the server inside takes no more. */
  private boolean send() throws IOException {
    InputStream in = exchange.body();
    OutputStream out = connection.output();
    boolean chunked = exchange.length().isEmpty();
    long left = exchange.length().orElse(Long.MAX_VALUE);
    byte[] piece = new byte[ROOM + PIECE + 2];
    for (int read = in.read(piece, ROOM, PIECE); read >= 0; read = in.read(piece, ROOM, PIECE)) {
      left -= read;
      if (left < 0) {
        throw new IOException("The body is longer than it was said to be");
      }
      passage.expectWithin(patience);
      try {
        if (chunked) {
          writeChunk(out, piece, read);
        } else {
          out.write(piece, ROOM, read);
        }
      } catch (IOException e) {
        LOG.debug("A server in a sandbox takes no more of a request", e);
        return false;
      }
    }
    if (!chunked && left > 0) {
      throw new IOException("The body is shorter than it was said to be");
    }
    try {
      if (chunked) {
        out.write(LAST_CHUNK);
      }
      out.flush();
      complete = true;
      return true;
    } catch (IOException e) {
      LOG.debug("A server in a sandbox takes no more of a request", e);
      return false;
    }
  }

  private static void writeChunk(OutputStream out, byte[] piece, int length) throws IOException {
    byte[] size = (Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(size, 0, piece, ROOM - size.length, size.length);
    piece[ROOM + length] = '\r';
    piece[ROOM + length + 1] = '\n';
    out.write(piece, ROOM - size.length, size.length + length + 2);
  }

  private void drop() throws IOException {
    byte[] scratch = new byte[PIECE];
    InputStream in = exchange.body();
    while (in.read(scratch) >= 0) {}
  }
}
