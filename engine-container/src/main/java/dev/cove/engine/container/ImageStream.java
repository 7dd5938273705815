package dev.cove.engine.container;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** An image without its holes: each range with its place and length, and -1 at the end. */
final class ImageStream {
  private static final int MAX_RANGE = 1 << 20;
  private static final long END = -1;

  private ImageStream() {}

  static void write(Path image, OutputStream out) throws IOException {
    var data = new DataOutputStream(out);
    ByteBuffer buffer = ByteBuffer.allocate(MAX_RANGE);
    try (var channel = FileChannel.open(image, StandardOpenOption.READ)) {
      for (SparseFile.Extent extent : SparseFile.extents(image)) {
        for (long at = extent.start(); at < extent.end(); at += buffer.position()) {
          buffer.clear().limit((int) Math.min(MAX_RANGE, extent.end() - at));
          fill(channel, at, buffer);
          data.writeLong(at);
          data.writeInt(buffer.position());
          data.write(buffer.array(), 0, buffer.position());
        }
      }
    }
    data.writeLong(END);
    data.flush();
  }

  private static void fill(FileChannel channel, long at, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, at + buffer.position()) < 0) {
        throw new EOFException("An image became shorter while it was read");
      }
    }
  }

  /** Makes an image of that size, which must not be there, and forces it to the disk. */
  static void read(InputStream in, Path image, long size) throws IOException {
    var data = new DataInputStream(in);
    byte[] bytes = new byte[MAX_RANGE];
    try (var channel =
        FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), size - 1);
      long before = 0;
      for (long at = data.readLong(); at != END; at = data.readLong()) {
        int length = data.readInt();
        if (at < before || length < 1 || length > MAX_RANGE || at + length > size) {
          throw new IOException("A range of the image makes no sense");
        }
        data.readFully(bytes, 0, length);
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
        while (buffer.hasRemaining()) {
          channel.write(buffer, at + buffer.position());
        }
        before = at + length;
      }
      channel.force(true);
    }
  }
}
