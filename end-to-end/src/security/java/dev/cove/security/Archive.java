package dev.cove.security;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** A tar.gz, entry by entry, with nothing checked: archives here are meant to be wrong. */
final class Archive {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes, "UTF-8");

  Archive() {
    tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
    tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
  }

  static Archive withFile(String name, String content) {
    return new Archive().file(name, content);
  }

  Archive file(String name, String content) {
    return file(name, content, 0644);
  }

  Archive file(String name, String content, int mode) {
    byte[] data = content.getBytes(StandardCharsets.UTF_8);
    // Preserving the name keeps a leading slash and dots as they are.
    var entry = new TarArchiveEntry(name, TarConstants.LF_NORMAL, true);
    entry.setSize(data.length);
    entry.setMode(mode);
    return add(entry, data);
  }

  Archive folder(String name) {
    return add(new TarArchiveEntry(name, TarConstants.LF_DIR, true), new byte[0]);
  }

  Archive symlink(String name, String target) {
    return link(TarConstants.LF_SYMLINK, name, target);
  }

  Archive hardLink(String name, String target) {
    return link(TarConstants.LF_LINK, name, target);
  }

  private Archive link(byte kind, String name, String target) {
    var entry = new TarArchiveEntry(name, kind, true);
    entry.setLinkName(target);
    return add(entry, new byte[0]);
  }

  /** A node of that kind, such as {@link TarConstants#LF_CHR}. */
  Archive node(byte kind, String name, int major, int minor) {
    var entry = new TarArchiveEntry(name, kind, true);
    entry.setDevMajor(major);
    entry.setDevMinor(minor);
    return add(entry, new byte[0]);
  }

  /** An entry that comes with owners, a time and a size of the caller's choice. */
  Archive entry(TarArchiveEntry entry, byte[] data) {
    return add(entry, data);
  }

  private Archive add(TarArchiveEntry entry, byte[] data) {
    try {
      tar.putArchiveEntry(entry);
      tar.write(data);
      tar.closeArchiveEntry();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  byte[] tarGz() {
    try {
      tar.finish();
      return gzip(bytes.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  InputStream stream() {
    return new ByteArrayInputStream(tarGz());
  }

  static byte[] gzip(byte[] plain) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(plain);
    }
    return packed.toByteArray();
  }
}
