package dev.cove.egress.relay;

import dev.cove.egress.group.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection from a sandbox, with all that was opened for its sake. It can be cut from anywhere
 * at any time; what is opened for it afterwards is closed at once.
 */
public final class Connection {
  private final SocketChannel client;
  private final Traffic traffic;
  private final List<SocketChannel> upstream = new ArrayList<>();
  private boolean cut;
  private volatile long lastByte = System.nanoTime();
  private volatile @Nullable Right right;
  private volatile @Nullable InetSocketAddress dialled;
  private volatile @Nullable Member entered;
  private final List<Runnable> afterwards = new ArrayList<>();

  public Connection(SocketChannel client, Traffic traffic) {
    this.client = client;
    this.traffic = traffic;
  }

  public SocketChannel client() {
    return client;
  }

  /** By what right it goes on; nothing while that is being decided. */
  public Optional<Right> right() {
    return Optional.ofNullable(right);
  }

  public void grant(Right granted) {
    right = granted;
  }

  /**
   * Takes charge of a channel to the world.
   *
   * @throws ClosedChannelException it was cut, and the channel is closed now
   */
  public synchronized void own(SocketChannel channel) throws IOException {
    if (cut) {
      channel.close();
      throw new ClosedChannelException();
    }
    upstream.add(channel);
  }

  /** Closes a channel that is of no more use to it. */
  public synchronized void disown(SocketChannel channel) {
    upstream.remove(channel);
    closeQuietly(channel);
  }

  public void dialled(InetSocketAddress address) {
    dialled = address;
    traffic.dialled(address.getAddress().getHostAddress());
  }

  /** It leads to another sandbox of the same group. */
  public void entered(Member member) {
    entered = member;
    traffic.dialled("sandbox " + member.id());
  }

  public Optional<Member> entered() {
    return Optional.ofNullable(entered);
  }

  /** To be done once it has ended; at once if it has. */
  public void whenClosed(Runnable task) {
    synchronized (this) {
      if (!cut) {
        afterwards.add(task);
        return;
      }
    }
    task.run();
  }

  public Optional<InetAddress> dialled() {
    return Optional.ofNullable(dialled).map(InetSocketAddress::getAddress);
  }

  /**
   * Counts bytes from the sandbox to the world.
   *
   * @throws IOException there may be no more of them
   */
  public void sent(long bytes) throws IOException {
    lastByte = System.nanoTime();
    traffic.sent(bytes);
    delivered(); // of what was sent before, so that no write waits for one that stands still
  }

  /** What was counted has been written. */
  public void delivered() {
    Member member = entered;
    if (member != null) {
      member.entrance().stir();
    }
  }

  /**
   * Counts bytes from the world to the sandbox.
   *
   * @throws IOException there may be no more of them
   */
  public void received(long bytes) throws IOException {
    lastByte = System.nanoTime();
    Member member = entered;
    if (member != null) {
      member.entrance().passed();
    }
    traffic.received(bytes);
  }

  public long idleNanos() {
    return System.nanoTime() - lastByte;
  }

  /** Ends it at once; the program inside sees a reset. */
  public synchronized void cut() {
    if (client.isOpen()) {
      try {
        client.setOption(StandardSocketOptions.SO_LINGER, 0);
      } catch (IOException e) {
        // It is being closed anyway.
      }
    }
    close();
  }

  /** Ends it after what was written. */
  public synchronized void close() {
    cut = true;
    closeQuietly(client);
    upstream.forEach(Connection::closeQuietly);
    upstream.clear();
    afterwards.forEach(Runnable::run);
    afterwards.clear();
  }

  private static void closeQuietly(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing is left to be done with it.
    }
  }
}
