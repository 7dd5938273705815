package dev.cove.control.build;

import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/** A tar archive that is made while it is read. Only the headers of one entry are in memory. */
final class TarStream extends InputStream {
  private static final int RECORD = 512;

  /**
   * @param content as long as the item says
   */
  record Member(TarItem item, InputStream content) {}

  /** Where entries come from; closed with the stream. */
  interface Source extends Closeable {
    Optional<Member> next() throws IOException;
  }

  private final Source source;
  private InputStream plain = InputStream.nullInputStream();
  private InputStream content = InputStream.nullInputStream();
  private long contentLeft;
  private int paddingAfter;
  private boolean ended;

  TarStream(Source source) {
    this.source = source;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    try {
      while (true) {
        int read = plain.read(buffer, offset, length);
        if (read > 0) {
          return read;
        }
        if (contentLeft > 0) {
          return readContent(buffer, offset, length);
        }
        if (!advance()) {
          return -1;
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private int readContent(byte[] buffer, int offset, int length) throws IOException {
    int read = content.read(buffer, offset, (int) Math.min(length, contentLeft));
    if (read <= 0) {
      throw new EOFException("A file is shorter than the archive says");
    }
    contentLeft -= read;
    return read;
  }

  private boolean advance() throws IOException {
    if (paddingAfter > 0) {
      plain = new ByteArrayInputStream(new byte[paddingAfter]);
      paddingAfter = 0;
      return true;
    }
    if (ended) {
      return false;
    }
    Optional<Member> next = source.next();
    if (next.isEmpty()) {
      ended = true;
      plain = new ByteArrayInputStream(new byte[2 * RECORD]);
      return true;
    }
    plain = new ByteArrayInputStream(TarHeaders.of(next.get().item()));
    content = next.get().content();
    contentLeft = next.get().item().size();
    paddingAfter = (int) (-contentLeft & (RECORD - 1));
    return true;
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
