package dev.cove.review.apply;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** So much of a stream, and no more. */
final class Section extends FilterInputStream {
  private long left;

  Section(InputStream in, long length) {
    super(in);
    this.left = length;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (left == 0) {
      return -1;
    }
    int read = super.read(bytes, offset, (int) Math.min(length, left));
    left -= Math.max(read, 0);
    return read;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
