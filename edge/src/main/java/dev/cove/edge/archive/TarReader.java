package dev.cove.edge.archive;

import dev.cove.edge.http.Text;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Reads tar as ustar, GNU tar and pax write it.
 *
 * <p>Our own because the archive is hostile: general readers collect a long name or a pax header of
 * any announced length in memory. Here nothing but file content may be longer than a few pages, and
 * every header counts, so that a chain of them ends too.
 */
final class TarReader {
  static final int MAX_HEADERS = 200_000;
  private static final int BLOCK = 512;
  private static final int MAX_NAME = 4_096;
  private static final int MAX_PAX = 256 * 1024;
  private static final String NO_NAME = "at the start of the archive";

  private final InputStream in;
  private final byte[] block = new byte[BLOCK];
  private long left;
  private int padding;
  private int headers;
  private String where = NO_NAME;
  private String current = "";

  TarReader(InputStream in) {
    this.in = in;
  }

  /** The next member; what was not read of the one before is skipped. */
  Optional<TarEntry> next() throws IOException {
    var extra = new PaxRecords();
    String longName = "";
    String longLink = "";
    while (readHeader()) {
      TarHeader header = TarHeader.parse(block, where);
      switch (header.type()) {
        case 'x' -> extra = PaxRecords.parse(readSmall(header, MAX_PAX), where);
        case 'g' -> skip(requireAtMost(header, MAX_PAX));
        case 'L' -> longName = name(readSmall(header, MAX_NAME));
        case 'K' -> longLink = name(readSmall(header, MAX_NAME));
        default -> {
          TarEntry entry = extra.applyTo(header.toEntry(longName, longLink));
          current = Text.quote(entry.name());
          where = "after " + current;
          begin(entry.size());
          return Optional.of(entry);
        }
      }
    }
    return Optional.empty();
  }

  /** The content of the current member. Closing it does nothing. */
  InputStream content() {
    return new Content();
  }

  private boolean readHeader() throws IOException {
    skip(left + padding);
    begin(0);
    int read = in.readNBytes(block, 0, BLOCK);
    if (read == 0) {
      return false;
    }
    if (read < BLOCK) {
      throw truncated();
    }
    if (TarHeader.isEnd(block)) {
      return false;
    }
    if (++headers > MAX_HEADERS) {
      throw new CoveException(
          ErrorCode.TOO_LARGE, "The archive has more than %d headers".formatted(MAX_HEADERS));
    }
    return true;
  }

  private void begin(long size) {
    left = size;
    padding = (int) ((BLOCK - size % BLOCK) % BLOCK);
  }

  private byte[] readSmall(TarHeader header, int max) throws IOException {
    int size = (int) requireAtMost(header, max);
    byte[] bytes = in.readNBytes(size);
    if (bytes.length < size) {
      throw truncated();
    }
    begin(size);
    left = 0;
    return bytes;
  }

  private long requireAtMost(TarHeader header, int max) {
    if (header.size() > max) {
      throw new BadArchiveException(
          "A header %s announces %d bytes, at most %d are read"
              .formatted(where, header.size(), max));
    }
    return header.size();
  }

  private void skip(long bytes) throws IOException {
    byte[] scratch = new byte[8 * 1024];
    for (long rest = bytes; rest > 0; ) {
      int read = in.read(scratch, 0, (int) Math.min(rest, scratch.length));
      if (read < 0) {
        throw truncated();
      }
      rest -= read;
    }
  }

  private String name(byte[] bytes) {
    return TarHeader.text(bytes, 0, bytes.length, where);
  }

  private BadArchiveException truncated() {
    return new BadArchiveException("The archive ends too early, " + where);
  }

  private final class Content extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      if (left == 0) {
        return -1;
      }
      int read = in.read(buffer, offset, (int) Math.min(left, length));
      if (read < 0) {
        throw new BadArchiveException("The archive ends too early, inside " + current);
      }
      left -= read;
      return read;
    }
  }
}
