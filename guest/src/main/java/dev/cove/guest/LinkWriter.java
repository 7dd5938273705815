package dev.cove.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/**
 * The only thread that writes to the socket.
 *
 * <p>NIO closes a channel under a thread that is interrupted in it. Callers may be interrupted at
 * any time and must not take the link with them, so they only put frames here. What waits is one
 * array, swapped by the thread, so that frames of many callers leave in one write.
 */
final class LinkWriter {
  /** A caller with data waits while more than this is queued. */
  private static final int FULL = 128 * 1024;

  /** Frames that must not wait are bounded by what is open; past this the agent reads nothing. */
  private static final int OVERFLOW = 8 * 1024 * 1024;

  private static final int KEPT_CAPACITY = 2 * 1024;

  private byte[] queue = new byte[256];
  private int queued;
  private boolean closed;

  /** Queues a frame, waiting while the queue is full. */
  void send(byte type, int channel, byte[] payload) throws InterruptedException {
    synchronized (this) {
      while (queued >= FULL && !closed) {
        wait();
      }
      append(type, channel, payload, payload.length, -1, 0);
    }
  }

  /** Queues a DATA frame, waiting while the queue is full. */
  void sendData(int channel, byte stream, byte[] bytes, int offset, int length)
      throws InterruptedException {
    synchronized (this) {
      while (queued >= FULL && !closed) {
        wait();
      }
      append(Frame.DATA, channel, bytes, length, stream, offset);
    }
  }

  /** Queues a small frame at once, for threads that must not wait. */
  synchronized void sendNow(byte type, int channel, byte[] payload) {
    append(type, channel, payload, payload.length, -1, 0);
  }

  private void append(byte type, int channel, byte[] bytes, int length, int stream, int offset) {
    if (closed) {
      return;
    }
    int payload = length + (stream >= 0 ? 1 : 0);
    int needed = queued + Frame.HEAD + payload;
    if (needed > OVERFLOW) {
      close();
      return;
    }
    if (needed > queue.length) {
      queue = Arrays.copyOf(queue, Math.max(needed, queue.length * 2));
    }
    ByteBuffer out = Payload.littleEndian(queue).position(queued);
    out.putInt(payload).put(type).putInt(channel);
    if (stream >= 0) {
      out.put((byte) stream);
    }
    out.put(bytes, offset, length);
    boolean idle = queued == 0;
    queued = needed;
    if (idle) {
      notifyAll();
    }
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  /** Runs until closed; ends with an exception when the socket does. */
  void run(WritableByteChannel socket) throws IOException, InterruptedException {
    byte[] spare = new byte[256];
    while (true) {
      ByteBuffer batch;
      synchronized (this) {
        while (queued == 0 && !closed) {
          wait();
        }
        if (closed) {
          return;
        }
        batch = ByteBuffer.wrap(queue, 0, queued);
        queue = spare;
        queued = 0;
        notifyAll();
      }
      while (batch.hasRemaining()) {
        socket.write(batch);
      }
      spare = batch.capacity() <= KEPT_CAPACITY ? batch.array() : new byte[256];
    }
  }
}
