package dev.cove.engine.microvm;

import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;

/**
 * A connection to the agent through a machine's serial port, which knows of no connections: the
 * machine is told that one begins, and answers with a number that was drawn for it. What came
 * before was for somebody else. {@code relay.c} is the other end.
 */
final class PortChannel implements ByteChannel {
  private static final int ESCAPE = 0xdb;
  private static final int ESCAPED = 1;
  private static final int ANEW = 2;
  private static final int NUMBER_BYTES = 16;

  /** What a port, QEMU and the socket can hold of another connection. */
  private static final int MAX_LEFT_OVER = 4 << 20;

  private static final Duration GREETING = Duration.ofSeconds(30);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final SocketChannel socket;
  private final ByteBuffer early = ByteBuffer.allocate(64 << 10);
  private ByteBuffer escaped = ByteBuffer.allocate(64 << 10);

  private PortChannel(SocketChannel socket) {
    this.socket = socket;
  }

  static PortChannel connect(Path path) throws IOException {
    var socket = SocketChannel.open(StandardProtocolFamily.UNIX);
    try (var _ = new Patience(socket, GREETING)) {
      socket.connect(UnixDomainSocketAddress.of(path));
      var channel = new PortChannel(socket);
      channel.begin();
      return channel;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private void begin() throws IOException {
    byte[] number = new byte[NUMBER_BYTES];
    do {
      RANDOM.nextBytes(number);
    } while (indexOf(number, (byte) ESCAPE) >= 0);
    var greeting = ByteBuffer.allocate(2 + NUMBER_BYTES);
    greeting.put((byte) ESCAPE).put((byte) ANEW).put(number).flip();
    while (greeting.hasRemaining()) {
      socket.write(greeting);
    }
    awaitNumber(number);
  }

  private static int indexOf(byte[] bytes, byte wanted) {
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private void awaitNumber(byte[] number) throws IOException {
    int skipped = 0;
    while (true) {
      int read = socket.read(early);
      if (read < 0) {
        throw new EOFException("The machine ended");
      }
      int found = find(number);
      if (found >= 0) {
        early.limit(early.position()).position(found + NUMBER_BYTES);
        return;
      }
      skipped += read;
      if (skipped > MAX_LEFT_OVER) {
        throw new IOException("The machine does not begin a connection");
      }
      keepLast(NUMBER_BYTES - 1);
    }
  }

  private int find(byte[] number) {
    byte[] come = early.array();
    for (int at = 0; at + number.length <= early.position(); at++) {
      if (Arrays.equals(come, at, at + number.length, number, 0, number.length)) {
        return at;
      }
    }
    return -1;
  }

  private void keepLast(int count) {
    if (early.position() > count) {
      byte[] come = early.array();
      System.arraycopy(come, early.position() - count, come, 0, count);
      early.position(count);
    }
  }

  /** By one thread, as of any link. */
  @Override
  public int read(ByteBuffer target) throws IOException {
    if (!early.hasRemaining()) {
      return socket.read(target);
    }
    int count = Math.min(early.remaining(), target.remaining());
    target.put(early.array(), early.position(), count);
    early.position(early.position() + count);
    return count;
  }

  /** By one thread, which may be another. Takes all of it. */
  @Override
  public int write(ByteBuffer source) throws IOException {
    int count = source.remaining();
    if (escaped.capacity() < 2 * count) {
      escaped = ByteBuffer.allocate(2 * count);
    }
    escaped.clear();
    while (source.hasRemaining()) {
      byte next = source.get();
      escaped.put(next);
      if (next == (byte) ESCAPE) {
        escaped.put((byte) ESCAPED);
      }
    }
    escaped.flip();
    while (escaped.hasRemaining()) {
      socket.write(escaped);
    }
    return count;
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
