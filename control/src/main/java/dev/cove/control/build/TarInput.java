package dev.cove.control.build;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * What a tar archive is read from: knows its position, and ends headers that do not end.
 *
 * <p>The library holds the long names and attributes of an entry in memory, however long they are.
 */
final class TarInput extends FilterInputStream {
  static final int MAX_HEADERS = 1024 * 1024;

  private long position;
  private long headersEnd = Long.MAX_VALUE;

  TarInput(InputStream in) {
    super(in);
  }

  long position() {
    return position;
  }

  void beginHeaders() {
    headersEnd = position + MAX_HEADERS;
  }

  void beginContent() {
    headersEnd = Long.MAX_VALUE;
  }

  private void requireRoom() {
    if (position >= headersEnd) {
      throw new BuildException(
          "An entry of the archive has headers of more than %d bytes".formatted(MAX_HEADERS));
    }
  }

  @Override
  public int read() {
    requireRoom();
    try {
      int read = in.read();
      position += read < 0 ? 0 : 1;
      return read;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public int read(byte[] buffer, int offset, int length) {
    requireRoom();
    try {
      int read = in.read(buffer, offset, length);
      position += Math.max(read, 0);
      return read;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long skip(long count) {
    try {
      long skipped = in.skip(count);
      position += skipped;
      return skipped;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
