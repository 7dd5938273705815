package dev.cove.guest;

import dev.cove.model.CoveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stream from the guest. What may wait here is bounded by the credit that was given, and memory
 * grows with what really waits; an idle stream has none.
 *
 * <p>All state is guarded by the channel's monitor.
 */
final class FlowInput extends InputStream {
  /** How far the guest may be ahead of the reader. */
  static final int WINDOW = 128 * 1024;

  private static final int FIRST_CAPACITY = 2 * 1024;

  private final LinkChannel channel;
  private final byte stream;
  private byte @Nullable [] buffer;
  private int start;
  private int count;

  /** Bytes that the guest may still send. */
  private int granted = WINDOW;

  /** Bytes that were read and are not yet granted anew. */
  private int consumed;

  private boolean ended;
  private boolean closed;

  FlowInput(LinkChannel channel, byte stream) {
    this.channel = channel;
    this.stream = stream;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    synchronized (channel) {
      while (count == 0 && !ended && !closed && !channel.isOver() && !channel.isBroken()) {
        try {
          channel.wait(channel.lookAgainAfter(0, channel.op().owesBytes()));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw (IOException)
              new InterruptedIOException("Interrupted while waiting for the guest").initCause(e);
        }
      }
      if (closed) {
        throw new IOException("The stream is closed");
      }
      if (count == 0) {
        if (!ended) {
          throw channel.brokenAsIo();
        }
        return -1;
      }
      int n = take(target, offset, length);
      grant(n);
      return n;
    }
  }

  /**
   * The next record (a u32 length and so many bytes), or null when none came in time.
   *
   * @throws CoveException the stream ended or broke
   */
  byte @Nullable [] readRecord(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    synchronized (channel) {
      while (!hasRecord()) {
        if (ended || closed || channel.isOver() || channel.isBroken()) {
          throw channel.failureOr(new IOException("There is nothing more to come"));
        }
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return null;
        }
        try {
          channel.wait(channel.lookAgainAfter(left / 1_000_000 + 1, channel.op().owesBytes()));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new GuestLinkException("Interrupted while waiting for the guest", e);
        }
      }
      byte[] head = new byte[4];
      take(head, 0, 4);
      byte[] record = new byte[Payload.littleEndian(head).getInt()];
      take(record, 0, record.length);
      grant(4 + record.length);
      return record;
    }
  }

  private boolean hasRecord() {
    byte[] ring = buffer;
    if (ring == null || count < 4) {
      return false;
    }
    long length = 0;
    for (int i = 3; i >= 0; i--) {
      length = (length << 8) | (ring[(start + i) % ring.length] & 0xff);
    }
    if (length > WINDOW / 2) {
      throw new GuestLinkException("The agent sent a record that is too long");
    }
    return count >= 4 + length;
  }

  @Override
  public int available() {
    synchronized (channel) {
      return closed ? 0 : count;
    }
  }

  /** Open, and nothing waits. */
  boolean isIdle() {
    synchronized (channel) {
      return count == 0 && !ended && !closed && !channel.isOver() && !channel.isBroken();
    }
  }

  /** What comes later is dropped, without holding the guest back. */
  @Override
  public void close() {
    synchronized (channel) {
      if (closed) {
        return;
      }
      closed = true;
      grant(count);
      count = 0;
      buffer = null;
      channel.notifyAll();
    }
    channel.streamClosed();
  }

  // The rest is called by the link's reader, holding the channel's monitor.

  void onData(byte[] payload) throws BrokenFrameException {
    int length = payload.length - 1;
    if (ended || length > granted) {
      throw new BrokenFrameException("data came without credit or after its end");
    }
    granted -= length;
    if (closed) {
      grant(length);
    } else {
      store(payload, 1, length);
    }
  }

  void onEnd() throws BrokenFrameException {
    if (ended) {
      throw new BrokenFrameException("a stream ended twice");
    }
    ended = true;
  }

  boolean hasEnded() {
    return ended;
  }

  private void grant(int n) {
    consumed += n;
    if (consumed >= WINDOW / 2 && !ended) {
      granted += consumed;
      channel.sendCredit(stream, consumed);
      consumed = 0;
    }
  }

  private void store(byte[] source, int offset, int length) {
    byte[] ring = withRoomFor(length);
    int end = (start + count) % ring.length;
    int first = Math.min(length, ring.length - end);
    System.arraycopy(source, offset, ring, end, first);
    System.arraycopy(source, offset + first, ring, 0, length - first);
    count += length;
  }

  private byte[] withRoomFor(int length) {
    byte[] old = buffer;
    if (old != null && old.length - count >= length) {
      return old;
    }
    int capacity = Math.max(FIRST_CAPACITY, Integer.highestOneBit(count + length - 1) << 1);
    byte[] ring = new byte[capacity];
    int kept = count;
    if (old != null) {
      int first = Math.min(kept, old.length - start);
      System.arraycopy(old, start, ring, 0, first);
      System.arraycopy(old, 0, ring, first, kept - first);
    }
    start = 0;
    buffer = ring;
    return ring;
  }

  private int take(byte[] target, int offset, int length) {
    byte[] ring = Objects.requireNonNull(buffer);
    int n = Math.min(length, count);
    int first = Math.min(n, ring.length - start);
    System.arraycopy(ring, start, target, offset, first);
    System.arraycopy(ring, 0, target, offset + first, n - first);
    start = (start + n) % ring.length;
    count -= n;
    if (count == 0 && (ring.length > FIRST_CAPACITY * 8 || ended)) {
      buffer = null;
      start = 0;
    }
    return n;
  }
}
