package dev.cove.edge.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/** Server-sent events. Several threads may send; each event arrives whole. */
public final class EventStream {
  private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.US_ASCII);

  private final OutputStream out;
  private final ReentrantLock writing = new ReentrantLock();
  private volatile long sentAt = System.nanoTime();

  EventStream(OutputStream out) {
    this.out = out;
  }

  /** Sends an event and returns when it is on its way; blocks while the client reads nothing. */
  public void send(String event, Object data) throws IOException {
    String text = "event: " + event + "\ndata: " + Json.writeText(data) + "\n\n";
    write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Sends an event that a client which comes back can name as the last that it saw. */
  public void send(String event, Object data, long id) throws IOException {
    String text = "event: " + event + "\ndata: " + Json.writeText(data) + "\nid: " + id + "\n\n";
    write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** A comment line if nothing was sent for so long: both ends learn that the connection lives. */
  void heartbeatAfter(Duration silence) throws IOException {
    if (System.nanoTime() - sentAt >= silence.toNanos()) {
      write(HEARTBEAT);
    }
  }

  private void write(byte[] bytes) throws IOException {
    writing.lock();
    try {
      out.write(bytes);
      out.flush();
      sentAt = System.nanoTime();
    } catch (IOException e) {
      throw new ClientGoneException(e);
    } finally {
      writing.unlock();
    }
  }
}
