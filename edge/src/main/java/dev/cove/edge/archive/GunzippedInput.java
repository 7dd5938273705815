package dev.cove.edge.archive;

import dev.cove.edge.http.ClientGoneException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/** What is inside a gzip stream, with its faults told as faults of the archive. */
public final class GunzippedInput extends InputStream {
  private static final int BUFFER = 32 * 1024;

  private final InputStream compressed;
  private @Nullable GZIPInputStream in;

  public GunzippedInput(InputStream compressed) {
    this.compressed = compressed;
  }

  /** The same for what may be compressed or not. */
  public static InputStream orPlain(InputStream body) throws IOException {
    var peeked = new PushbackInputStream(body, 2);
    byte[] magic = peeked.readNBytes(2);
    peeked.unread(magic);
    boolean gzip = magic.length == 2 && magic[0] == 0x1f && magic[1] == (byte) 0x8b;
    return gzip ? new GunzippedInput(peeked) : peeked;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    try {
      GZIPInputStream open = in;
      if (open == null) {
        open = new GZIPInputStream(compressed, BUFFER);
        in = open;
      }
      return open.read(buffer, offset, length);
    } catch (ClientGoneException e) {
      throw e;
    } catch (EOFException e) {
      throw new BadArchiveException("The archive ends in the middle of its compressed data", e);
    } catch (ZipException e) {
      throw new BadArchiveException("The body is not a gzip archive, or it is damaged", e);
    }
  }

  /** Frees the decompressor's memory. */
  @Override
  public void close() throws IOException {
    if (in != null) {
      in.close();
    }
  }
}
