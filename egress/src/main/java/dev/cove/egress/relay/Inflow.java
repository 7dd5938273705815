package dev.cove.egress.relay;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;

/** Bytes from a channel that can be looked at before they are taken. */
public final class Inflow {
  /** How many can be looked at. */
  public static final int MAX_AHEAD = 64 << 10;

  /** To wait for as long as the connection is let live. */
  public static final int FOREVER = 0;

  private static final Duration TIME_TO_HEAR = Duration.ofMillis(500);
  private static final int MAX_UNHEARD = 256 << 10;
  private static final int FIRST_SIZE = 2 << 10;
  private static final int COPY_SIZE = 64 << 10;

  private final Socket socket;
  private byte[] buffer = new byte[FIRST_SIZE];
  private int begin;
  private int end;
  private int patience = -1;

  public Inflow(SocketChannel channel) {
    this(channel.socket());
  }

  public Inflow(Socket socket) {
    this.socket = socket;
  }

  /** How many bytes are there to be looked at. */
  public int available() {
    return end - begin;
  }

  public byte peek(int index) {
    return buffer[begin + index];
  }

  /** All bytes that are there; they stay. */
  public byte[] ahead() {
    return Arrays.copyOfRange(buffer, begin, end);
  }

  /**
   * Waits for more bytes.
   *
   * @return false when there will be no more
   * @throws java.net.SocketTimeoutException none came in that time
   * @throws IOException more than can be looked at
   */
  public boolean fill(int patienceMillis) throws IOException {
    makeRoom();
    if (patience != patienceMillis) {
      socket.setSoTimeout(patienceMillis);
      patience = patienceMillis;
    }
    int read = socket.getInputStream().read(buffer, end, buffer.length - end);
    end += Math.max(0, read);
    return read >= 0;
  }

  private void makeRoom() throws IOException {
    if (begin > 0) {
      System.arraycopy(buffer, begin, buffer, 0, available());
      end -= begin;
      begin = 0;
    }
    if (end == MAX_AHEAD) {
      throw new IOException("Too many bytes before their end");
    }
    if (end == buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.min(MAX_AHEAD, 2 * buffer.length));
    }
  }

  public byte[] take(int length) {
    byte[] taken = Arrays.copyOfRange(buffer, begin, begin + length);
    begin += length;
    return taken;
  }

  public byte[] takeAll() {
    return take(available());
  }

  /**
   * Takes for a moment what still comes, after the last words were said: bytes that are left unread
   * would turn the end into a reset, and that eats them.
   */
  public void hearOut() throws IOException {
    long deadline = System.nanoTime() + TIME_TO_HEAR.toNanos();
    int heard = takeAll().length;
    long left = TIME_TO_HEAR.toMillis();
    try {
      while (left > 0 && heard < MAX_UNHEARD && fill((int) left)) {
        heard += takeAll().length;
        left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
      }
    } catch (SocketTimeoutException e) {
      // He has nothing more to say, or says it too late.
    }
  }

  /** Puts bytes before those that come next. */
  public void putBack(byte[] bytes) {
    byte[] both = Arrays.copyOf(bytes, Math.max(FIRST_SIZE, bytes.length + available()));
    System.arraycopy(buffer, begin, both, bytes.length, available());
    end = bytes.length + available();
    begin = 0;
    buffer = both;
  }

  /**
   * Carries so many bytes elsewhere. What was written is sent on its way before more is waited for.
   */
  public void copy(long length, OutputStream to, Pump.Meter meter) throws IOException {
    long left = length;
    while (left > 0) {
      if (available() == 0) {
        if (buffer.length < COPY_SIZE && left > buffer.length) {
          buffer = new byte[COPY_SIZE];
        }
        to.flush();
        if (!fill(FOREVER)) {
          throw new EOFException("The connection ended in the middle of a message");
        }
      }
      int now = (int) Math.min(left, available());
      meter.count(now);
      to.write(buffer, begin, now);
      begin += now;
      left -= now;
    }
  }

  /** Carries everything elsewhere until the end. */
  public void copyAll(OutputStream to, Pump.Meter meter) throws IOException {
    while (available() > 0 || fill(FOREVER)) {
      copy(available(), to, meter);
      to.flush();
      if (buffer.length < COPY_SIZE) {
        buffer = new byte[COPY_SIZE];
        begin = 0;
        end = 0;
      }
    }
  }
}
