package dev.cove.node.image;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A part of a file. */
final class FileSlice extends InputStream {
  private final FileChannel channel;
  private long at;
  private final long end;

  FileSlice(Path file, long offset, long size) throws IOException {
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    this.at = offset;
    this.end = offset + size;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    if (at >= end) {
      return -1;
    }
    int most = (int) Math.min(length, end - at);
    int read = channel.read(ByteBuffer.wrap(buffer, offset, most), at);
    at += Math.max(0, read);
    return read;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
