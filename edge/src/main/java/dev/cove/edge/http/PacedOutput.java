package dev.cove.edge.http;

import java.io.IOException;
import java.io.OutputStream;

/** Gives up on a client that reads slower than a body may arrive, after the same grace. */
final class PacedOutput extends OutputStream {
  private final OutputStream out;
  private final HttpLimits limits;
  private long bytes;
  private long waitedNanos;

  PacedOutput(OutputStream out, HttpLimits limits) {
    this.out = out;
    this.limits = limits;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] buffer, int offset, int length) throws IOException {
    long start = System.nanoTime();
    out.write(buffer, offset, length);
    waitedNanos += System.nanoTime() - start;
    bytes += length;
    // A second of grace for every 64 KiB: even a phone on a train is faster.
    long allowed = limits.bodyGrace().toNanos() + bytes / (64 * 1024) * 1_000_000_000L;
    if (waitedNanos > allowed) {
      throw new IOException("The client reads too slowly");
    }
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }
}
