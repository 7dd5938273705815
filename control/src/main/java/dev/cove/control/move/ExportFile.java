package dev.cove.control.move;

import dev.cove.control.Fingerprint;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
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
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The form of a file: a line that says what it is, then, compressed, the manifest and the layers'
 * content in the manifest's order, then a line with the SHA-256 of all before it.
 */
final class ExportFile {
  private static final byte[] HEADING = "cove export 1\n".getBytes(StandardCharsets.US_ASCII);
  private static final int TRAILER = "sha256:".length() + 64 + 1;
  private static final int MAX_MANIFEST = 1 << 20;
  private static final int BUFFER = 128 * 1024;
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private ExportFile() {}

  /** Writes what comes after the manifest. */
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  static void write(Manifest manifest, Content content, OutputStream target) throws IOException {
    MessageDigest sha = Fingerprint.sha256();
    var hashed = new DigestOutputStream(new BufferedOutputStream(target, BUFFER), sha);
    hashed.write(HEADING);
    var gzip = new FastGzip(new Unclosed(hashed));
    byte[] text = JSON.writeValueAsBytes(manifest);
    new DataOutputStream(gzip).writeInt(text.length);
    gzip.write(text);
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
  static void verify(Path file) throws IOException {
    long size = Files.size(file);
    if (size < HEADING.length + TRAILER) {
      throw refusal("it is too short");
    }
    MessageDigest sha = Fingerprint.sha256();
    try (var in = new BufferedInputStream(Files.newInputStream(file), BUFFER)) {
      byte[] heading = in.readNBytes(HEADING.length);
      if (!MessageDigest.isEqual(heading, HEADING)) {
        throw refusal("it does not begin as one, or is of a newer kind");
      }
      sha.update(heading);
      byte[] buffer = new byte[BUFFER];
      for (long left = size - HEADING.length - TRAILER; left > 0; ) {
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

  /** Reads the manifest; the layers follow in the stream. */
  static Manifest manifest(InputStream content) throws IOException {
    var data = new DataInputStream(content);
    int length = data.readInt();
    if (length < 2 || length > MAX_MANIFEST) {
      throw refusal("its manifest has a length that makes no sense");
    }
    byte[] text = data.readNBytes(length);
    try {
      return JSON.readValue(text, Manifest.class);
    } catch (JacksonException e) {
      throw refusal("its manifest makes no sense");
    }
  }

  static InputStream open(Path file) throws IOException {
    var in = new BufferedInputStream(Files.newInputStream(file), BUFFER);
    in.skipNBytes(HEADING.length);
    return new GZIPInputStream(in, BUFFER);
  }

  static CoveException refusal(String why) {
    return new CoveException(
        ErrorCode.UNSUPPORTED, "The file is no export of Cove's that can be used: " + why + ".");
  }
}
