package dev.cove.guest;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Objects;

/**
 * A stream to the guest. Writes wait for credit, which comes as the guest takes bytes in.
 *
 * <p>State is guarded by the channel's monitor; the stream's own monitor keeps one write together.
 */
final class FlowOutput extends OutputStream {
  private static final int CREDIT_MAX = 1 << 30;

  private final LinkChannel channel;
  private int credit;
  private boolean closed;
  private boolean readerGone;

  FlowOutput(LinkChannel channel) {
    this.channel = channel;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    write(bytes, offset, length, Duration.ZERO);
  }

  /**
   * Writes all of it.
   *
   * @param patience how long the guest may take in nothing; zero for ever
   */
  synchronized void write(byte[] bytes, int offset, int length, Duration patience)
      throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    channel.link().want();
    try {
      while (length > 0) {
        int n = awaitCredit(Math.min(length, Frame.PAYLOAD_MAX - 1), patience);
        channel.sendData(bytes, offset, n);
        offset += n;
        length -= n;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("Interrupted while waiting for the guest").initCause(e);
    }
  }

  private int awaitCredit(int wanted, Duration patience) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    synchronized (channel) {
      while (credit == 0 && !closed && !readerGone && !channel.isOver()) {
        if (patience.isZero()) {
          channel.wait(channel.lookAgainAfter(0, channel.op().owesBytes()));
        } else {
          long left = deadline - System.nanoTime();
          if (left <= 0) {
            throw new IOException("The guest took in nothing for " + patience.toSeconds() + " s");
          }
          channel.wait(channel.lookAgainAfter(left / 1_000_000 + 1, channel.op().owesBytes()));
        }
      }
      if (closed) {
        throw new IOException("The stream is closed");
      }
      if (channel.isBroken()) {
        throw channel.brokenAsIo();
      }
      if (readerGone || channel.isOver()) {
        throw new IOException("Broken pipe: nobody in the sandbox reads this any more");
      }
      int n = Math.min(credit, wanted);
      credit -= n;
      return n;
    }
  }

  boolean isOpen() {
    synchronized (channel) {
      return !closed && !readerGone && !channel.isOver() && !channel.isBroken();
    }
  }

  /** The end of the stream; sent once, and never waits for the guest. */
  @Override
  public void close() {
    synchronized (channel) {
      if (closed) {
        return;
      }
      closed = true;
      channel.notifyAll();
      if (!readerGone) {
        channel.sendEnd();
      }
    }
  }

  // Called by the link's reader, holding the channel's monitor.

  void onCredit(int bytes) throws BrokenFrameException {
    if (bytes < 0 || bytes > CREDIT_MAX - credit) {
      throw new BrokenFrameException("the guest gave more credit than there is");
    }
    credit += bytes;
  }

  void onReaderGone() {
    readerGone = true;
  }
}
