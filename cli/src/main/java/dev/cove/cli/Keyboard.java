package dev.cove.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Input that several read one after the other: first the program inside, then we.
 *
 * <p>A thread that waits for a descriptor cannot be told to stop, and would take the next key with
 * it. Here just one thread ever does, and whoever reads from it can be interrupted and takes
 * nothing along.
 */
final class Keyboard extends InputStream {
  private static final int MOST_WAITING = 64;
  private static final int PIECE = 8 * 1024;
  private static final byte[] END = new byte[0];

  private final BlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(MOST_WAITING);
  private byte[] piece = END;
  private int at;
  private boolean ended;

  private Keyboard() {}

  static Keyboard of(InputStream source) {
    var keyboard = new Keyboard();
    Thread.ofPlatform().daemon().name("keyboard").start(() -> keyboard.follow(source));
    return keyboard;
  }

  private void follow(InputStream source) {
    byte[] buffer = new byte[PIECE];
    try {
      try {
        for (int n = source.read(buffer); n >= 0; n = source.read(buffer)) {
          pieces.put(Arrays.copyOf(buffer, n));
        }
      } catch (IOException e) {
        // The terminal is gone, which is an end as well.
      }
      pieces.put(END);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public synchronized int read(byte[] buffer, int offset, int length) throws IOException {
    while (at == piece.length && !ended) {
      try {
        piece = pieces.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Somebody else reads on");
      }
      at = 0;
      ended = piece.length == 0;
    }
    if (ended) {
      return -1;
    }
    int count = Math.min(length, piece.length - at);
    System.arraycopy(piece, at, buffer, offset, count);
    at += count;
    return count;
  }

  @Override
  public synchronized int available() {
    byte[] next = pieces.peek();
    return piece.length - at + (next == null ? 0 : next.length);
  }
}
