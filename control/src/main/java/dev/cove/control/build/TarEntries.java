package dev.cove.control.build;

import dev.cove.control.build.TarItem.Kind;
import dev.cove.model.ErrorCode;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Reads a tar archive that somebody else made, entry by entry. */
final class TarEntries implements Closeable {
  static final int MAX_ENTRIES = 200_000;
  private static final int BLOCK = 10_240;
  private static final int BUFFER = 64 * 1024;
  private static final int RECORD = 512;

  private final String what;
  private final TarInput input;
  private final TarArchiveInputStream tar;
  private int entries;

  /**
   * @param what the archive, for messages
   */
  TarEntries(String what, InputStream in) {
    this.what = what;
    input = new TarInput(new BufferedInputStream(in, BUFFER));
    tar = new TarArchiveInputStream(input, BLOCK, RECORD, StandardCharsets.UTF_8.name(), false);
  }

  /** The next entry; empty at the end. The root folder itself is left out. */
  Optional<TarItem> next() {
    while (true) {
      Optional<TarArchiveEntry> entry = nextEntry();
      if (entry.isEmpty()) {
        return Optional.empty();
      }
      if (++entries > MAX_ENTRIES) {
        throw new BuildException(
            ErrorCode.TOO_LARGE, "%s has more than %d entries".formatted(what, MAX_ENTRIES));
      }
      TarItem item = item(entry.get());
      if (!item.name().isEmpty()) {
        return Optional.of(item);
      }
    }
  }

  private Optional<TarArchiveEntry> nextEntry() {
    try {
      skipContent();
      input.beginHeaders();
      Optional<TarArchiveEntry> entry = Optional.ofNullable(tar.getNextEntry());
      input.beginContent();
      entry.ifPresent(this::requireSane);
      return entry;
    } catch (IOException | IllegalArgumentException e) {
      throw broken(e);
    }
  }

  /** Before the headers are counted, because the content would be counted with them. */
  private void skipContent() throws IOException {
    if (tar.getCurrentEntry() != null) {
      tar.skip(Long.MAX_VALUE);
    }
  }

  private BuildException broken(Exception e) {
    return new BuildException("%s is no tar archive: %s".formatted(what, e.getMessage()));
  }

  private void requireSane(TarArchiveEntry entry) {
    if (!entry.isCheckSumOK()) {
      throw new BuildException(what + " is no tar archive: a checksum is wrong");
    }
    // Attributes for all entries add up over the archive, and the library keeps them.
    long kept =
        entry.getExtraPaxHeaders().entrySet().stream()
            .mapToLong(header -> header.getKey().length() + header.getValue().length())
            .sum();
    if (kept > TarInput.MAX_HEADERS) {
      throw new BuildException(
          "%s has attributes of more than %d characters".formatted(what, TarInput.MAX_HEADERS));
    }
    if (entry.isSparse()) {
      throw new BuildException(
          "%s holds the sparse file '%s'; pack it without --sparse"
              .formatted(what, Expansion.shown(entry.getName())));
    }
    if (entry.getSize() < 0) {
      throw new BuildException(what + " is no tar archive: a size is negative");
    }
  }

  private TarItem item(TarArchiveEntry entry) {
    String name = EntryPath.require(what + ": the name", entry.getName());
    Kind kind = kind(entry);
    boolean isLink = kind == Kind.SYMLINK || kind == Kind.HARD_LINK;
    return new TarItem(
        name,
        kind,
        entry.getMode() & TarItem.PERMISSIONS,
        kind == Kind.FILE ? entry.getSize() : 0,
        isLink ? linkTarget(entry, name) : "",
        Math.max(entry.getLongUserId(), 0),
        Math.max(entry.getLongGroupId(), 0),
        Math.max(entry.getLastModifiedTime().toInstant().getEpochSecond(), 0));
  }

  private String linkTarget(TarArchiveEntry entry, String name) {
    String target = entry.getLinkName();
    if (target.isEmpty() || target.length() > EntryPath.MAX_NAME || target.indexOf('\0') >= 0) {
      throw new BuildException(
          "%s: the target of the link '%s' is empty or too long"
              .formatted(what, Expansion.shown(name)));
    }
    return target;
  }

  private static Kind kind(TarArchiveEntry entry) {
    if (entry.isSymbolicLink()) {
      return Kind.SYMLINK;
    }
    if (entry.isLink()) {
      return Kind.HARD_LINK;
    }
    if (entry.isDirectory()) {
      return Kind.FOLDER;
    }
    return switch (entry.getLinkFlag()) {
      case TarConstants.LF_NORMAL, TarConstants.LF_OLDNORM, TarConstants.LF_CONTIG -> Kind.FILE;
      default -> Kind.OTHER;
    };
  }

  /** Where the content of the current entry begins, if what is read is not compressed. */
  long position() {
    return input.position();
  }

  /** Of the current entry. Not to be closed. */
  InputStream content() {
    return tar;
  }

  @Override
  public void close() throws IOException {
    try {
      tar.close();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
