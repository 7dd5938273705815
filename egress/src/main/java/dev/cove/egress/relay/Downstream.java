package dev.cove.egress.relay;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** The way from the world to the sandbox, while nobody has to look at it. */
public final class Downstream {
  private final Connection connection;
  private final SocketChannel upstream;
  private final Thread thread;
  private volatile boolean abandoned;
  private volatile boolean spoke;

  Downstream(Connection connection, SocketChannel upstream, Pump pump) {
    this.connection = connection;
    this.upstream = upstream;
    this.thread = Thread.ofVirtual().start(() -> run(pump));
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
    thread.join();
  }

  /** Gives up this way and its channel without harm to the connection; says whether bytes came. */
  public boolean abandon() throws InterruptedException {
    abandoned = true;
    connection.disown(upstream);
    thread.join();
    return spoke;
  }
}
