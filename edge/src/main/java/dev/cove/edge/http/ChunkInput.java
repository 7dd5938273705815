package dev.cove.edge.http;

import java.io.IOException;
import java.io.InputStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Blocker;
import org.jspecify.annotations.Nullable;

/** A request's body, of which can be said before it is read whether there is any. */
final class ChunkInput extends InputStream {
  private final Content.Source source;
  private Content.@Nullable Chunk current;
  private volatile boolean ended;

  ChunkInput(Content.Source source) {
    this.source = source;
  }

  /** Whether it is known, without waiting, that nothing will come. */
  boolean isEmpty() throws IOException {
    if (current == null && !ended) {
      take(source.read());
    }
    return ended;
  }

  boolean hasEnded() {
    return ended;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (current == null) {
      if (ended) {
        return -1;
      }
      Content.@Nullable Chunk chunk = source.read();
      if (chunk == null) {
        try (Blocker.Runnable arrival = Blocker.runnable()) {
          source.demand(arrival);
          arrival.block();
        }
      } else {
        take(chunk);
      }
    }
    Content.Chunk chunk = current;
    int count = Math.min(length, chunk.remaining());
    chunk.getByteBuffer().get(target, offset, count);
    if (!chunk.hasRemaining()) {
      release(chunk);
    }
    return count;
  }

  private void take(Content.@Nullable Chunk chunk) throws IOException {
    if (chunk == null) {
      return;
    }
    if (Content.Chunk.isFailure(chunk)) {
      ended = true;
      throw new IOException("The request's body broke off", chunk.getFailure());
    }
    if (chunk.hasRemaining()) {
      current = chunk;
    } else {
      release(chunk);
    }
  }

  private void release(Content.Chunk chunk) {
    current = null;
    ended = chunk.isLast();
    chunk.release();
  }
}
