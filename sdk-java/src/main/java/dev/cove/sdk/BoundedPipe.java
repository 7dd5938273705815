package dev.cove.sdk;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Bytes from the thread that receives to the one that reads. A writer waits while it is full; that
 * is how a slow reader holds back the command.
 *
 * <p>Not a PipedInputStream: that one wakes once a second to see whether its writer's thread lives.
 */
final class BoundedPipe extends InputStream {
  private final byte[] ring;
  private int start;
  private int size;
  private boolean ended;
  private boolean abandoned;
  private @Nullable IOException failure;

  BoundedPipe(int capacity) {
    ring = new byte[capacity];
  }

  /** Waits for room; drops the bytes once the reader has closed. */
  synchronized void write(byte[] bytes, int offset, int length) throws InterruptedException {
    int from = offset;
    int left = length;
    while (left > 0 && !abandoned && !ended) {
      if (size == ring.length) {
        wait();
        continue;
      }
      int end = (start + size) % ring.length;
      int count = Math.min(left, Math.min(ring.length - size, ring.length - end));
      System.arraycopy(bytes, from, ring, end, count);
      size += count;
      from += count;
      left -= count;
      notifyAll();
    }
  }

  /** No more will come; what is inside can still be read. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  synchronized void fail(IOException cause) {
    if (!ended) {
      failure = cause;
      end();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public synchronized int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    try {
      while (size == 0 && !ended && !abandoned) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while waiting for output", e);
    }
    if (abandoned) {
      throw new IOException("The stream is closed");
    }
    if (size == 0) {
      if (failure != null) {
        throw new IOException(failure.getMessage(), failure);
      }
      return -1;
    }
    int count = Math.min(length, Math.min(size, ring.length - start));
    System.arraycopy(ring, start, target, offset, count);
    start = (start + count) % ring.length;
    size -= count;
    notifyAll();
    return count;
  }

  @Override
  public synchronized int available() {
    return size;
  }

  @Override
  public synchronized void close() {
    abandoned = true;
    notifyAll();
  }
}
