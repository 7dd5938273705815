package dev.cove.node.supervisor;

import dev.cove.engine.network.NetworkNamespace;
import dev.cove.guest.TcpStream;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.network.InsideAddresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/**
 * Connections from this process to servers in one sandbox. Each is a socket that was opened in the
 * sandbox's network, so that nothing stands between it and the server but the kernel; and it would
 * keep that network alive, so that all of them end with the sandbox.
 */
final class InsideConnections implements AutoCloseable {
  private static final int MAX = 2_000;

  /** Who listens and does not take connections. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final NetworkNamespace network;
  private final Runnable stir;
  private final Semaphore places = new Semaphore(MAX);
  private final Set<InsideStream> open = ConcurrentHashMap.newKeySet();
  private final LongAdder received = new LongAdder();
  private volatile boolean closed;

  /**
   * @param stir has the sandbox go on if it stands still; cheap if it does not
   */
  InsideConnections(NetworkNamespace network, Runnable stir) {
    this.network = network;
    this.stir = stir;
  }

  /**
   * Connects to a port on the sandbox's loopback, IPv4 first and then IPv6.
   *
   * @throws CoveException GUEST_REFUSED when nothing listens there
   * @throws dev.cove.engine.EngineException when the network cannot be entered
   */
  TcpStream connect(int port) {
    if (port == InsideAddresses.LISTENER_PORT) {
      throw refused(port); // Cove's own, and nobody's service
    }
    if (!places.tryAcquire()) {
      throw new CoveException(
          ErrorCode.TOO_MANY_REQUESTS,
          "All %d connections to ports of this sandbox are in use; try again later".formatted(MAX));
    }
    boolean connected = false;
    try {
      stir.run(); // the kernel would take a connection that nobody inside can answer
      InsideStream stream = connectOnLoopback(port);
      connected = true;
      return stream;
    } finally {
      if (!connected) {
        places.release();
      }
    }
  }

  private InsideStream connectOnLoopback(int port) {
    CoveException refusal = refused(port);
    for (var loopback : InsideAddresses.LOOPBACK.entrySet()) {
      SocketChannel channel = network.socket(loopback.getKey());
      boolean connected = false;
      try {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel
            .socket()
            .connect(new InetSocketAddress(loopback.getValue(), port), (int) PATIENCE.toMillis());
        connected = true;
        return taken(channel);
      } catch (IOException e) {
        refusal.addSuppressed(e);
      } finally {
        if (!connected) {
          InsideStream.discard(channel);
        }
      }
    }
    throw refusal;
  }

  private InsideStream taken(SocketChannel channel) {
    var stream = new InsideStream(channel, stir, received::increment, this::left);
    open.add(stream);
    if (closed) { // and perhaps after the others were
      stream.close();
    }
    return stream;
  }

  /** How often something has come out of the sandbox over them. */
  long received() {
    return received.sum();
  }

  /** Whether somebody waits for an answer over one of them. */
  boolean owesAnswer() {
    return open.stream().anyMatch(InsideStream::isOwed);
  }

  private void left(InsideStream stream) {
    if (open.remove(stream)) {
      places.release();
    }
  }

  private static CoveException refused(int port) {
    return new CoveException(
        ErrorCode.GUEST_REFUSED,
        "Port %d of the sandbox can't be reached: nothing takes connections there".formatted(port));
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(InsideStream::close);
  }
}
