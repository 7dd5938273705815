package dev.cove.control.build;

import dev.cove.control.Fingerprint;
import java.io.BufferedInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.commons.compress.archivers.tar.TarUtils;

/** What one COPY or ADD takes from the context, under the names it shall have. */
final class Selection {
  private final Path context;
  private final NavigableMap<String, ContextEntry> placed;
  private final List<Archive> archives;
  private final String folder;

  /**
   * @param placed by final name
   */
  Selection(
      Path context,
      NavigableMap<String, ContextEntry> placed,
      List<Archive> archives,
      String folder) {
    this.context = context;
    this.placed = Collections.unmodifiableNavigableMap(new TreeMap<>(placed));
    this.archives = List.copyOf(archives);
    this.folder = folder;
  }

  /**
   * The folder that all of it goes into, relative to the root; empty for the root. It is not in
   * {@link #tar}, because one that is there already keeps its mode and owner.
   */
  String folder() {
    return folder;
  }

  /** Archives that ADD unpacks, in order, after {@link #tar}. */
  List<Archive> archives() {
    return archives;
  }

  /** Final names, sorted. */
  List<String> names() {
    return List.copyOf(placed.keySet());
  }

  /** SHA-256 in hexadecimal over all that ends up in the template, without times. */
  String digest() throws IOException {
    MessageDigest digest = Fingerprint.sha256();
    try (FileChannel file = FileChannel.open(context);
        var out =
            new DataOutputStream(new DigestOutputStream(OutputStream.nullOutputStream(), digest))) {
      for (ContextEntry entry : placed.values()) {
        write(out, entry.item());
        new SpoolRegion(file, entry).transferTo(out);
      }
      for (Archive archive : archives) {
        writeText(out, "archive " + archive.keepOwners() + " " + archive.target().path());
        write(out, archive.entry().item().owned(archive.uid(), archive.gid()).named(""));
        new SpoolRegion(file, archive.entry()).transferTo(out);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Each text has its length before it: no two selections write the same bytes. */
  private static void write(DataOutputStream out, TarItem item) throws IOException {
    writeText(out, item.name());
    writeText(out, item.kind().name());
    writeText(out, item.linkTarget());
    out.writeInt(item.mode());
    out.writeLong(item.uid());
    out.writeLong(item.gid());
    out.writeLong(item.size());
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Names are relative to the root, without a leading slash. Folders come before their content. */
  InputStream tar() throws IOException {
    return new TarStream(new Placed(FileChannel.open(context), placed.values().iterator()));
  }

  private record Placed(FileChannel file, Iterator<ContextEntry> entries)
      implements TarStream.Source {
    @Override
    public Optional<TarStream.Member> next() {
      if (!entries.hasNext()) {
        return Optional.empty();
      }
      ContextEntry entry = entries.next();
      return Optional.of(new TarStream.Member(entry.item(), new SpoolRegion(file, entry)));
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /**
   * A tar archive, compressed with gzip or not, that is unpacked instead of copied.
   *
   * @param uid the owner of all, unless owners are kept
   */
  record Archive(
      Path context, ContextEntry entry, CopyTarget target, boolean keepOwners, long uid, long gid) {
    private static final int RECORD = 512;
    private static final int GZIP_MAGIC = 0x1F8B;

    /** Decided by content. Others that Docker would unpack are refused rather than just copied. */
    static boolean isArchive(FileChannel file, Step.Copy copy, ContextEntry entry)
        throws IOException {
      String name = entry.item().name();
      if (name.matches("(?s).*\\.(?:tar\\.(?:xz|bz2|zst)|txz|tbz2?)")) {
        throw new BuildException(
            copy.line(),
            "ADD unpacks tar and tar.gz only; COPY '%s' and unpack it with RUN"
                .formatted(Expansion.shown(name)));
      }
      byte[] header;
      try {
        header = uncompressed(new SpoolRegion(file, entry)).readNBytes(RECORD);
      } catch (ZipException | EOFException e) {
        return false;
      }
      return header.length == RECORD && header[0] != 0 && TarUtils.verifyCheckSum(header);
    }

    private static InputStream uncompressed(InputStream in) throws IOException {
      var buffered = new BufferedInputStream(in);
      buffered.mark(2);
      int magic = buffered.read() << 8 | buffered.read();
      buffered.reset();
      return magic == GZIP_MAGIC ? new GZIPInputStream(buffered) : buffered;
    }

    /** As {@link Selection#tar}: final names, and owners as they shall be. */
    InputStream tar() throws IOException {
      FileChannel file = FileChannel.open(context);
      try {
        InputStream plain = uncompressed(new SpoolRegion(file, entry));
        String what = "The archive '%s'".formatted(Expansion.shown(entry.item().name()));
        return TarRewriter.unpack(what, closing(plain, file), target, keepOwners, uid, gid);
      } catch (IOException | RuntimeException e) {
        file.close();
        throw e;
      }
    }

    private static InputStream closing(InputStream in, FileChannel file) {
      return new FilterInputStream(in) {
        @Override
        public void close() throws IOException {
          file.close();
        }
      };
    }
  }
}
