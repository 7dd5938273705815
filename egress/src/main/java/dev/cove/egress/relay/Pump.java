package dev.cove.egress.relay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Carries bytes one way until they end. */
public final class Pump {
  /** Counts bytes, and may forbid more of them. */
  public interface Meter {
    void count(long bytes) throws IOException;

    /** Those that were counted have been written. */
    default void written() {}
  }

  private final BufferPool buffers;

  Pump(BufferPool buffers) {
    this.buffers = buffers;
  }

  /**
   * A buffer that was filled is replaced by a larger one, and a larger one by the smallest when
   * that would have done: a connection that waits should hold little, and one that is busy should
   * not change its buffer all the time.
   */
  void run(SocketChannel from, SocketChannel to, Meter meter) throws IOException {
    ByteBuffer buffer = buffers.take();
    try {
      while (from.read(buffer) >= 0) {
        int read = buffer.position();
        meter.count(read);
        write(to, buffer.flip());
        meter.written();
        buffer.clear();
        if (read == buffer.capacity()) {
          buffer = buffers.grow(buffer);
        } else if (read < BufferPool.SMALLEST) {
          buffer = buffers.shrink(buffer);
        }
      }
      to.shutdownOutput();
    } finally {
      buffers.give(buffer);
    }
  }

  public static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }
}
