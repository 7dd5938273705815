package dev.cove.control.build;

import dev.cove.control.build.TarItem.Kind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** A tar archive that is made while it is read. At most one header of it is in memory. */
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
    plain = new ByteArrayInputStream(header(next.get().item()));
    content = next.get().content();
    contentLeft = next.get().item().size();
    paddingAfter = (int) (-contentLeft & (RECORD - 1));
    return true;
  }

  private static byte[] header(TarItem item) throws IOException {
    var bytes = new ByteArrayOutputStream(2 * RECORD);
    // Left open on purpose: closing it would ask for the content, which does not pass here.
    @SuppressWarnings("resource")
    var tar = new TarArchiveOutputStream(bytes, RECORD, StandardCharsets.UTF_8.name());
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
    tar.setAddPaxHeadersForNonAsciiNames(true);
    tar.putArchiveEntry(entry(item));
    return bytes.toByteArray();
  }

  private static TarArchiveEntry entry(TarItem item) {
    String name = item.is(Kind.FOLDER) ? item.name() + "/" : item.name();
    var entry = new TarArchiveEntry(name, flag(item.kind()));
    entry.setSize(item.size());
    entry.setMode(item.mode());
    entry.setLinkName(item.linkTarget());
    entry.setUserId(item.uid());
    entry.setGroupId(item.gid());
    // The library would write the name of whoever runs this server.
    entry.setUserName("");
    entry.setGroupName("");
    entry.setLastModifiedTime(FileTime.from(Instant.ofEpochSecond(item.modified())));
    return entry;
  }

  private static byte flag(Kind kind) {
    return switch (kind) {
      case FILE -> TarConstants.LF_NORMAL;
      case FOLDER -> TarConstants.LF_DIR;
      case SYMLINK -> TarConstants.LF_SYMLINK;
      case HARD_LINK -> TarConstants.LF_LINK;
      case OTHER -> throw new IllegalArgumentException("Devices and pipes are not packed");
    };
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
