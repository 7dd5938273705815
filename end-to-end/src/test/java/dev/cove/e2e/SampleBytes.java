package dev.cove.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;

/** Bytes of every value in no order, as many as wanted, the same each time; held in no memory. */
final class SampleBytes extends InputStream {
  private static final int BLOCK = 64 * 1024;

  private final long size;
  private final byte[] block = new byte[BLOCK];
  private long position;

  private SampleBytes(long size) {
    this.size = size;
    new Random(7070).nextBytes(block);
  }

  static SampleBytes of(long size) {
    return new SampleBytes(size);
  }

  static byte[] array(int size) {
    try (var bytes = of(size)) {
      return bytes.readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException("Memory cannot fail to be read", e);
    }
  }

  /** Reads to the end. Two streams of the same checksum and size are taken to be the same. */
  static String checksum(InputStream in) throws IOException {
    var crc = new CRC32C();
    long total = 0;
    byte[] buffer = new byte[BLOCK];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      crc.update(buffer, 0, read);
      total += read;
    }
    return "%d bytes, crc32c %08x".formatted(total, crc.getValue());
  }

  @Override
  public int read() {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (position == size) {
      return -1;
    }
    int at = (int) (position % BLOCK);
    if (at == 0) {
      // Each block differs, so that blocks out of order are noticed.
      ByteBuffer.wrap(block).putLong(position);
    }
    int count = (int) Math.min(Math.min(length, BLOCK - at), size - position);
    System.arraycopy(block, at, target, offset, count);
    position += count;
    return count;
  }
}
