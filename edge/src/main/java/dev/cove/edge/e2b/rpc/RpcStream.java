package dev.cove.edge.e2b.rpc;

import dev.cove.edge.http.ClientGoneException;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;

/** What comes back from a call, message by message. Several threads may send. */
public final class RpcStream {
  private final Exchange exchange;
  private final ReentrantLock writing = new ReentrantLock();
  private volatile long sentAt = System.nanoTime();
  private volatile boolean begun;
  private boolean ended;
  private OutputStream out = OutputStream.nullOutputStream();

  RpcStream(Exchange exchange) {
    this.exchange = exchange;
  }

  /** Blocks while the client reads nothing. What comes after the end is dropped. */
  public void send(Object message) throws IOException {
    write(Envelope.write(Envelope.MESSAGE, Json.write(message)), false);
  }

  /** How long nothing has been sent. */
  public Duration silence() {
    return Duration.ofNanos(System.nanoTime() - sentAt);
  }

  boolean hasBegun() {
    return begun;
  }

  void end() throws IOException {
    write(Envelope.write(Envelope.END, Json.write(Map.of())), true);
  }

  void end(RpcError error) throws IOException {
    write(Envelope.write(Envelope.END, Json.write(Map.of("error", error))), true);
  }

  private void write(byte[] bytes, boolean last) throws IOException {
    writing.lock();
    try {
      if (ended) {
        return;
      }
      if (!begun) {
        out =
            exchange.withHeader("Cache-Control", "no-store").stream(
                200, Rpc.STREAM_TYPE, OptionalLong.empty());
        begun = true;
      }
      out.write(bytes);
      out.flush();
      sentAt = System.nanoTime();
      ended = last;
    } catch (IOException e) {
      throw new ClientGoneException(e);
    } finally {
      writing.unlock();
    }
  }
}
