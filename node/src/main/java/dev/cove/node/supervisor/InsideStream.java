package dev.cove.node.supervisor;

import dev.cove.guest.TcpStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection to a server in a sandbox, over a socket that is in the sandbox's network. */
final class InsideStream implements TcpStream {
  private static final Logger LOG = LoggerFactory.getLogger(InsideStream.class);

  private final SocketChannel channel;
  private final Runnable stir;
  private final Runnable came;
  private final Consumer<InsideStream> left;
  private final InputStream input = new Input();
  private final OutputStream output = new Output();
  private volatile boolean owed;

  /**
   * @param stir has the sandbox go on, where something is sent to it
   * @param came is told when something has come from it
   */
  InsideStream(SocketChannel channel, Runnable stir, Runnable came, Consumer<InsideStream> left) {
    this.channel = channel;
    this.stir = stir;
    this.came = came;
    this.left = left;
  }

  @Override
  public InputStream input() {
    return input;
  }

  @Override
  public OutputStream output() {
    return output;
  }

  /**
   * Looks, without a wait: an end, and a byte that nobody asked for, are both more than nothing.
   */
  @Override
  public boolean isIdle() {
    try {
      channel.configureBlocking(false);
      try {
        return channel.read(ByteBuffer.allocate(1)) == 0;
      } finally {
        channel.configureBlocking(true);
      }
    } catch (IOException e) {
      LOG.debug("A connection that was kept has ended", e);
      return false;
    }
  }

  @Override
  public void owesAnswer(boolean isOwed) {
    owed = isOwed;
  }

  boolean isOwed() {
    return owed;
  }

  @Override
  public void close() {
    discard(channel);
    left.accept(this);
  }

  static void discard(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("A connection into a sandbox did not end in order", e);
    }
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = channel.read(ByteBuffer.wrap(bytes, offset, length));
      came.run();
      return read;
    }
  }

  /**
   * A sandbox that stands still takes bytes, as many as its kernel has room for, and does nothing
   * with them: it is woken before, so that no write waits for it, and after, in case that it was
   * paused in between.
   */
  private final class Output extends OutputStream {
    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      stir.run();
      ByteBuffer rest = ByteBuffer.wrap(bytes, offset, length);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
      stir.run();
    }

    @Override
    public void close() throws IOException {
      channel.shutdownOutput();
    }
  }
}
