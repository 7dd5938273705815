package dev.cove.egress.relay;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** The way from the world to the sandbox, while nobody has to look at it. */
public final class Downstream {
  private final Connection connection;
  private final SocketChannel upstream;
  private final FutureTask<Boolean> way;
  private volatile boolean abandoned;
  private volatile boolean spoke;

  Downstream(Connection connection, SocketChannel upstream, Pump pump, Lanes lanes) {
    this.connection = connection;
    this.upstream = upstream;
    this.way = lanes.start(() -> run(pump));
  }

  private void run(Pump pump) {
    try {
      pump.run(upstream, connection.client(), this::count);
    } catch (IOException | RuntimeException | Error e) {
      if (!abandoned) {
        connection.cut();
      }
    }
  }

  private void count(long bytes) throws IOException {
    spoke = true;
    connection.received(bytes);
  }

  void await() throws InterruptedException {
    try {
      way.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e); // run leaves nothing to be thrown
    }
  }

  /** Gives up this way and its channel without harm to the connection; says whether bytes came. */
  public boolean abandon() throws InterruptedException {
    abandoned = true;
    connection.disown(upstream);
    await();
    return spoke;
  }
}
