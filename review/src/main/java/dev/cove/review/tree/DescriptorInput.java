package dev.cove.review.tree;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** Reads an open file. */
final class DescriptorInput extends InputStream {
  private final int file;
  private boolean closed;

  DescriptorInput(int file) {
    this.file = file;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    requireOpen();
    if (length == 0) {
      return 0;
    }
    int read = FileCalls.read(file, bytes, offset, length);
    return read == 0 ? -1 : read;
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("The file is closed");
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      FileCalls.close(file);
    }
  }
}
