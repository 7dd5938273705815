package dev.cove.edge.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Consumer;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.BufferUtil;

/** A connection that no longer speaks HTTP: plain bytes in both directions. */
public final class PlainConnection extends AbstractConnection implements Connection.UpgradeTo {
  private static final int BUFFER = 16 * 1024;

  /** Whoever says nothing in either direction for so long has gone without telling. */
  private static final Duration SILENCE = Duration.ofHours(1);

  private final Consumer<PlainConnection> taker;
  private final InputStream input = new Input();
  private final OutputStream output = new Output();
  private final ByteBuffer buffer = BufferUtil.allocate(BUFFER);
  private ByteBuffer early = BufferUtil.EMPTY_BUFFER;

  PlainConnection(EndPoint endPoint, Consumer<PlainConnection> taker) {
    super(endPoint, Runnable::run);
    this.taker = taker;
  }

  @Override
  public void onUpgradeTo(ByteBuffer read) {
    if (read != null) {
      early = read;
    }
  }

  @Override
  public void onOpen() {
    super.onOpen();
    getEndPoint().setIdleTimeout(SILENCE.toMillis());
    Thread.ofVirtual().name("tunnel").start(() -> taker.accept(this));
  }

  @Override
  public void onFillable() {
    throw new IllegalStateException("Whoever reads this connection waits by itself");
  }

  /** What the client sends. */
  public InputStream input() {
    return input;
  }

  /** What the client reads. Closing it ends this direction only. */
  public OutputStream output() {
    return output;
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      ByteBuffer from = early.hasRemaining() ? early : buffer;
      while (!from.hasRemaining()) {
        int filled = getEndPoint().fill(buffer);
        if (filled < 0) {
          return -1;
        }
        if (filled == 0) {
          try (Blocker.Callback readable = Blocker.callback()) {
            getEndPoint().fillInterested(readable);
            readable.block();
          }
        }
      }
      int count = Math.min(length, from.remaining());
      from.get(target, offset, count);
      return count;
    }
  }

  private final class Output extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try (Blocker.Callback written = Blocker.callback()) {
        getEndPoint().write(written, ByteBuffer.wrap(bytes, offset, length));
        written.block();
      }
    }

    @Override
    public void close() {
      getEndPoint().shutdownOutput();
    }
  }
}
