package dev.cove.egress.relay;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory outside the heap for bytes on their way, shared by all relays. Small buffers are always to
 * be had, since the number of connections is limited elsewhere. Large ones are to be had until they
 * take up their share of the memory.
 */
public final class BufferPool {
  static final int SMALLEST = 8 << 10;
  static final int LARGEST = 256 << 10;

  private static final int GROWTH = 4;
  private static final int KEPT_SMALL = 1_024;

  private final long largeBytes;
  private final AtomicLong large = new AtomicLong();
  private final Deque<ByteBuffer> small = new ArrayDeque<>();
  private final Deque<ByteBuffer> medium = new ArrayDeque<>();
  private final Deque<ByteBuffer> big = new ArrayDeque<>();

  /**
   * @param largeBytes how much memory the buffers that are not of the smallest size may take
   */
  public BufferPool(long largeBytes) {
    this.largeBytes = largeBytes;
  }

  ByteBuffer take() {
    return pooled(small, SMALLEST);
  }

  /** A larger one in its place, if there is one; else the same. */
  ByteBuffer grow(ByteBuffer buffer) {
    int size = Math.min(LARGEST, buffer.capacity() * GROWTH);
    if (size == buffer.capacity() || !claim(size)) {
      return buffer;
    }
    give(buffer);
    return pooled(kept(size), size);
  }

  /** One of the smallest size in its place. */
  ByteBuffer shrink(ByteBuffer buffer) {
    if (buffer.capacity() == SMALLEST) {
      return buffer;
    }
    give(buffer);
    return take();
  }

  private boolean claim(int size) {
    if (large.addAndGet(size) <= largeBytes) {
      return true;
    }
    large.addAndGet(-size);
    return false;
  }

  /** What is claimed counts only while in use, so the kept ones come within it twice at most. */
  void give(ByteBuffer buffer) {
    int size = buffer.capacity();
    Deque<ByteBuffer> kept = kept(size);
    if (size > SMALLEST) {
      large.addAndGet(-size);
    }
    synchronized (kept) {
      if (kept.size() < (size == SMALLEST ? KEPT_SMALL : largeBytes / 2 / size)) {
        kept.push(buffer.clear());
      }
    }
  }

  private Deque<ByteBuffer> kept(int size) {
    return size == SMALLEST ? small : size == LARGEST ? big : medium;
  }

  private static ByteBuffer pooled(Deque<ByteBuffer> kept, int size) {
    ByteBuffer buffer;
    synchronized (kept) {
      buffer = kept.poll();
    }
    return buffer == null ? ByteBuffer.allocateDirect(size) : buffer.clear();
  }
}
