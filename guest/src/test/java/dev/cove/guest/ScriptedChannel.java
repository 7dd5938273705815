package dev.cove.guest;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.ArrayDeque;

/** An agent's end that says what it is told to and takes in everything. */
final class ScriptedChannel implements ByteChannel {
  private final ArrayDeque<ByteBuffer> script = new ArrayDeque<>();
  private boolean ended;
  private boolean closed;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  static byte[] frame(int type, int channel, byte[] payload) {
    return new Payload()
        .u32(payload.length)
        .u8(type)
        .u32(channel)
        .raw(payload, 0, payload.length)
        .toBytes();
  }

  static byte[] hello(int version, int minVersion) {
    Payload payload = new Payload().u32(Frame.MAGIC).u16(version).u16(minVersion).text("scripted");
    return frame(Frame.HELLO, 0, payload.toBytes());
  }

  synchronized ScriptedChannel say(byte[] bytes) {
    script.add(ByteBuffer.wrap(bytes));
    notifyAll();
    return this;
  }

  synchronized ScriptedChannel end() {
    ended = true;
    notifyAll();
    return this;
  }

  /** Waits until our end has sent so many frames, its HELLO among them. */
  synchronized void awaitFrames(int count) throws InterruptedException {
    while (framesWritten() < count && !closed) {
      wait();
    }
  }

  /** Waits until our end has opened that channel. */
  synchronized void awaitOpen(int channel) throws InterruptedException {
    while (!hasOpened(channel) && !closed) {
      wait();
    }
  }

  private boolean hasOpened(int channel) {
    ByteBuffer all = Payload.littleEndian(written.toByteArray());
    while (all.remaining() >= Frame.HEAD) {
      int start = all.position();
      if (all.get(start + 4) == Frame.OPEN && all.getInt(start + 5) == channel) {
        return true;
      }
      all.position(Math.min(all.limit(), start + Frame.HEAD + all.getInt(start)));
    }
    return false;
  }

  /** Waits for that answer of our end, the first being 1. */
  synchronized String awaitAnswer(int count) throws InterruptedException, BrokenFrameException {
    while (true) {
      ByteBuffer all = Payload.littleEndian(written.toByteArray());
      int found = 0;
      while (all.remaining() >= Frame.HEAD) {
        byte[] payload = new byte[all.getInt()];
        byte type = all.get();
        all.getInt();
        all.get(payload);
        if (type == Frame.ANSWER && ++found == count) {
          var reader = new PayloadReader(payload);
          return reader.i32() + " " + reader.u8() + " " + reader.text();
        }
      }
      wait();
    }
  }

  private int framesWritten() {
    ByteBuffer all = Payload.littleEndian(written.toByteArray());
    int count = 0;
    while (all.remaining() >= Frame.HEAD) {
      int length = all.getInt(all.position());
      if (all.remaining() < Frame.HEAD + length) {
        break;
      }
      all.position(all.position() + Frame.HEAD + length);
      count++;
    }
    return count;
  }

  @Override
  public synchronized int read(ByteBuffer target) {
    while (script.isEmpty() && !ended && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return -1;
      }
    }
    ByteBuffer next = script.peek();
    if (next == null || closed) {
      return -1;
    }
    int n = Math.min(next.remaining(), target.remaining());
    target.put(next.slice(next.position(), n));
    next.position(next.position() + n);
    if (!next.hasRemaining()) {
      script.remove();
    }
    return n;
  }

  @Override
  public synchronized int write(ByteBuffer source) {
    byte[] bytes = new byte[source.remaining()];
    source.get(bytes);
    written.write(bytes, 0, bytes.length);
    notifyAll();
    return bytes.length;
  }

  @Override
  public synchronized boolean isOpen() {
    return !closed;
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
