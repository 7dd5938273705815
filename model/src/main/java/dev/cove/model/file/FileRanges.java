package dev.cove.model.file;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** A file without its holes: each range with its place and length, and -1 at the end. */
public final class FileRanges {
  private static final int MAX_RANGE = 1 << 20;
  private static final long END = -1;

  private FileRanges() {}

  /** A range that is not a hole. */
  public record Range(long start, long end) {}

  /** All of a file that has no holes worth the name. */
  public static void write(Path file, OutputStream out) throws IOException {
    write(file, List.of(new Range(0, Files.size(file))), out);
  }

  /**
   * @param ranges in their order
   */
  public static void write(Path file, List<Range> ranges, OutputStream out) throws IOException {
    var data = new DataOutputStream(out);
    ByteBuffer buffer = ByteBuffer.allocate(MAX_RANGE);
    try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
      for (Range range : ranges) {
        for (long at = range.start(); at < range.end(); at += buffer.position()) {
          buffer.clear().limit((int) Math.min(MAX_RANGE, range.end() - at));
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

  /** A small one that is in memory. */
  public static void write(byte[] bytes, OutputStream out) throws IOException {
    var data = new DataOutputStream(out);
    for (int at = 0; at < bytes.length; at += MAX_RANGE) {
      int length = Math.min(MAX_RANGE, bytes.length - at);
      data.writeLong(at);
      data.writeInt(length);
      data.write(bytes, at, length);
    }
    data.writeLong(END);
    data.flush();
  }

  private static void fill(FileChannel channel, long at, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, at + buffer.position()) < 0) {
        throw new EOFException("A file became shorter while it was read");
      }
    }
  }

  /** Makes a file of that size, which must not be there, and forces it to the disk. */
  public static void read(InputStream in, Path file, long size) throws IOException {
    var data = new DataInputStream(in);
    byte[] bytes = new byte[MAX_RANGE];
    try (var channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      if (size > 0) {
        channel.write(ByteBuffer.allocate(1), size - 1);
      }
      long before = 0;
      for (long at = data.readLong(); at != END; at = data.readLong()) {
        int length = data.readInt();
        if (at < before || length < 1 || length > MAX_RANGE || at + length > size) {
          throw new IOException("A range of a file makes no sense");
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
