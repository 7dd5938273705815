package dev.cove.control.build;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A part of a file. Closing it leaves the file open. */
final class SpoolRegion extends InputStream {
  private final FileChannel file;
  private long position;
  private long left;

  SpoolRegion(FileChannel file, ContextEntry entry) {
    this.file = file;
    this.position = entry.offset();
    this.left = entry.item().size();
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    if (left == 0) {
      return length == 0 ? 0 : -1;
    }
    int wanted = (int) Math.min(length, left);
    int read = file.read(ByteBuffer.wrap(buffer, offset, wanted), position);
    if (read > 0) {
      position += read;
      left -= read;
    }
    return read;
  }
}
