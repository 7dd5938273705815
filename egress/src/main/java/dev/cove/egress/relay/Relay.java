package dev.cove.egress.relay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;

/**
 * Carries bytes both ways between a sandbox's connection and the world. The end of one direction is
 * passed on and leaves the other; a failure of one ends both.
 */
public final class Relay {
  private final Pump pump;
  private final Lanes lanes;

  public Relay(BufferPool buffers, Lanes lanes) {
    this.pump = new Pump(buffers);
    this.lanes = lanes;
  }

  /** From the world to the sandbox, on a thread of its own. */
  public Downstream start(Connection connection, SocketChannel upstream) {
    return new Downstream(connection, upstream, pump, lanes);
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
      connection.delivered();
    }
    var up = lanes.start(() -> pump.run(connection.client(), upstream, new Outgoing(connection)));
    try {
      up.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("Bytes could not be carried", e);
    }
    downstream.await();
  }

  private record Outgoing(Connection connection) implements Pump.Meter {
    @Override
    public void count(long bytes) throws IOException {
      connection.sent(bytes);
    }

    @Override
    public void written() {
      connection.delivered();
    }
  }
}
