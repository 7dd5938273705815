package dev.cove.egress.relay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Carries bytes both ways between a sandbox's connection and the world. The end of one direction is
 * passed on and leaves the other; a failure of one ends both.
 */
public final class Relay {
  private final Pump pump;

  public Relay(BufferPool buffers) {
    this.pump = new Pump(buffers);
  }

  /** From the world to the sandbox, on a thread of its own. */
  public Downstream start(Connection connection, SocketChannel upstream) {
    return new Downstream(connection, upstream, pump);
  }

  /**
   * From the sandbox to the world, first what was read already. Returns when both directions have
   * ended.
   */
  public void run(
      Connection connection, SocketChannel upstream, byte[] first, Downstream downstream)
      throws IOException, InterruptedException {
    if (first.length > 0) {
      connection.sent(first.length);
      Pump.write(upstream, ByteBuffer.wrap(first));
    }
    pump.run(connection.client(), upstream, connection::sent);
    downstream.await();
  }
}
