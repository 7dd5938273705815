package dev.cove.node.image;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** An image whose manifest and configuration have been read and checked. */
public interface Image extends AutoCloseable {
  int MAX_LAYERS = 127;

  /** Where it came from, with its digest. */
  String origin();

  ImageConfig config();

  /** The lowest first. */
  List<Layer> layers();

  /**
   * A layer's files as an uncompressed tar.
   *
   * <p>Its end is reached only when both the blob and what was in it have the promised digests;
   * until then nothing that was read may count.
   */
  InputStream open(Layer layer) throws IOException;

  @Override
  void close();

  /**
   * @param blob the digest of the blob as it is stored
   * @param content the digest of the tar in it
   * @param size of the blob, in bytes
   */
  record Layer(Digest blob, Digest content, long size) {}
}
