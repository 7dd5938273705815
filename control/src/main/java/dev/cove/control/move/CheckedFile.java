package dev.cove.control.move;

import dev.cove.control.Fingerprint;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * A kind of file that vouches for itself: a line that says what it is, then the content,
 * compressed, then a line with the SHA-256 of all before it.
 */
public final class CheckedFile {
  private static final int TRAILER = "sha256:".length() + 64 + 1;
  private static final int BUFFER = 128 * 1024;

  private final byte[] heading;
  private final String kind;

  /**
   * @param heading the first line, without its end
   * @param kind what such a file is called where one is refused, such as "export of Cove's"
   */
  public CheckedFile(String heading, String kind) {
    this.heading = (heading + "\n").getBytes(StandardCharsets.US_ASCII);
    this.kind = kind;
  }

  /** Writes what is in it. */
  public interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  public void write(Content content, OutputStream target) throws IOException {
    MessageDigest sha = Fingerprint.sha256();
    var hashed = new DigestOutputStream(new BufferedOutputStream(target, BUFFER), sha);
    hashed.write(heading);
    var gzip = new FastGzip(new Unclosed(hashed));
    content.writeTo(gzip);
    gzip.close();
    hashed.on(false);
    String trailer = "sha256:" + HexFormat.of().formatHex(sha.digest()) + "\n";
    hashed.write(trailer.getBytes(StandardCharsets.US_ASCII));
    hashed.flush();
  }

  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(OutputStream out) throws IOException {
      super(out, BUFFER);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }

  /** The line below it goes on. */
  private static final class Unclosed extends FilterOutputStream {
    Unclosed(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }

  /** Refuses a file of which any byte is missing or another. */
  public void verify(Path file) throws IOException {
    long size = Files.size(file);
    if (size < heading.length + TRAILER) {
      throw refusal("it is too short");
    }
    MessageDigest sha = Fingerprint.sha256();
    try (var in = new BufferedInputStream(Files.newInputStream(file), BUFFER)) {
      byte[] found = in.readNBytes(heading.length);
      if (!MessageDigest.isEqual(found, heading)) {
        throw refusal("it does not begin as one, or is of a newer kind");
      }
      sha.update(found);
      byte[] buffer = new byte[BUFFER];
      for (long left = size - heading.length - TRAILER; left > 0; ) {
        int read = in.read(buffer, 0, (int) Math.min(left, buffer.length));
        if (read < 0) {
          throw refusal("it became shorter");
        }
        sha.update(buffer, 0, read);
        left -= read;
      }
      String trailer = new String(in.readNBytes(TRAILER), StandardCharsets.ISO_8859_1);
      if (!trailer.equals("sha256:" + HexFormat.of().formatHex(sha.digest()) + "\n")) {
        throw refusal("it was changed or cut off: its digest is not the one at its end");
      }
    }
  }

  public InputStream open(Path file) throws IOException {
    var in = new BufferedInputStream(Files.newInputStream(file), BUFFER);
    in.skipNBytes(heading.length);
    return new GZIPInputStream(in, BUFFER);
  }

  public CoveException refusal(String why) {
    return new CoveException(
        ErrorCode.UNSUPPORTED, "The file is no %s that can be used: %s.".formatted(kind, why));
  }
}
