package dev.cove.node.image;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** The tar in a layer's blob. Its end is that of the blob: what follows the tar is read, too. */
final class LayerContent extends InputStream {
  private static final int BUFFER = 128 * 1024;
  private static final int GZIP = 0x1f8b;
  private static final int ZSTD = 0x28b5;

  /**
   * 32 MiB, which is as far back as the usual builders let a reader look at their strongest. What
   * wants more is refused before the memory for it is taken.
   */
  static final int ZSTD_WINDOW_BITS = 25;

  private final InputStream blob;
  private final VerifiedInput tar;
  private final Image.Layer layer;

  private LayerContent(InputStream blob, VerifiedInput tar, Image.Layer layer) {
    this.blob = blob;
    this.tar = tar;
    this.layer = layer;
  }

  static LayerContent of(InputStream raw, Image.Layer layer) throws IOException {
    var blob =
        new BufferedInputStream(
            new VerifiedInput(raw, layer.blob(), "Layer " + layer.blob()), BUFFER);
    blob.mark(2);
    int magic = blob.read() << 8 | blob.read();
    blob.reset();
    InputStream plain =
        switch (magic) {
          case GZIP -> new GZIPInputStream(blob, BUFFER);
          case ZSTD -> new ZstdInputStream(blob).setLongMax(ZSTD_WINDOW_BITS);
          default -> blob;
        };
    var tar = new VerifiedInput(plain, layer.content(), "The content of layer " + layer.blob());
    return new LayerContent(blob, tar, layer);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int read = readTar(buffer, offset, length);
    if (read < 0) {
      while (blob.skip(BUFFER) > 0 || blob.read() >= 0) {
        // to the end, where the blob's own digest is checked
      }
    }
    return read;
  }

  private int readTar(byte[] buffer, int offset, int length) throws IOException {
    try {
      return tar.read(buffer, offset, length);
    } catch (ZipException | EOFException e) {
      throw new BadImageException("Layer %s is damaged".formatted(layer.blob()), e);
    } catch (ZstdIOException e) {
      if (e.getErrorCode() == Zstd.errFrameParameterWindowTooLarge()) {
        throw new BadImageException(
            "Layer %s is compressed with a window of more than %d MiB"
                .formatted(layer.blob(), 1 << (ZSTD_WINDOW_BITS - 20)),
            e);
      }
      throw new BadImageException("Layer %s is damaged".formatted(layer.blob()), e);
    }
  }

  @Override
  public void close() throws IOException {
    tar.close();
  }
}
