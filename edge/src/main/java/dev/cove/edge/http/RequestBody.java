package dev.cove.edge.http;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;

/**
 * A request's body that may not trickle. Only the time spent waiting for the client counts: a slow
 * sandbox may take all the time it needs.
 */
final class RequestBody extends InputStream {
  private final InputStream in;
  private final HttpLimits limits;
  private long bytes;
  private long waitedNanos;
  private boolean ended;

  RequestBody(InputStream in, HttpLimits limits) {
    this.in = in;
    this.limits = limits;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    if (ended || length == 0) {
      return ended ? -1 : 0;
    }
    long start = System.nanoTime();
    int read = readOrExplain(buffer, offset, length);
    waitedNanos += System.nanoTime() - start;
    if (read < 0) {
      ended = true;
      return -1;
    }
    bytes += read;
    requireRate();
    return read;
  }

  @Override
  public int available() throws IOException {
    return in.available();
  }

  boolean hasEnded() {
    return ended;
  }

  private int readOrExplain(byte[] buffer, int offset, int length) throws IOException {
    try {
      return in.read(buffer, offset, length);
    } catch (IOException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new CoveException(
            ErrorCode.REQUEST_TIMEOUT, "The request's body stopped arriving", e);
      }
      if (e instanceof HttpException || e.getCause() instanceof HttpException) {
        throw new CoveException(
            ErrorCode.INVALID_REQUEST, "The request's body is not well-formed HTTP", e);
      }
      throw new ClientGoneException(e);
    }
  }

  private void requireRate() {
    long allowed =
        limits.bodyGrace().toNanos() + bytes * 1_000_000_000L / limits.bodyBytesPerSecond();
    if (waitedNanos > allowed) {
      throw new CoveException(
          ErrorCode.REQUEST_TIMEOUT,
          "The request's body arrives slower than %d bytes a second"
              .formatted(limits.bodyBytesPerSecond()));
    }
  }
}
