package dev.cove.review.apply;

import dev.cove.review.tree.Digests;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The bytes of a file, wherever they are. Two contents are equal when their digests are.
 *
 * <p>Where they come from may change meanwhile: whoever copies them compares the digest.
 */
public final class Content {
  private final String digest;
  private final long size;
  private final Source source;

  /** Where bytes can be read, again and again. */
  @FunctionalInterface
  public interface Source {
    InputStream open() throws IOException;
  }

  public Content(String digest, long size, Source source) {
    this.digest = digest;
    this.size = size;
    this.source = source;
  }

  public static Content of(byte[] bytes) {
    byte[] kept = bytes.clone();
    var digest = Digests.begin();
    digest.update(kept);
    return new Content(Digests.end(digest), kept.length, () -> new ByteArrayInputStream(kept));
  }

  public String digest() {
    return digest;
  }

  public long size() {
    return size;
  }

  public InputStream open() throws IOException {
    return source.open();
  }

  /** All of it, which must not be more than the limit, and must be what the digest says. */
  byte[] bytes(int limit) throws IOException {
    try (InputStream in = open()) {
      byte[] bytes = in.readNBytes(limit + 1);
      if (bytes.length > limit || !of(bytes).equals(this)) {
        throw new IOException("A file changed while it was read; try again");
      }
      return bytes;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Content content && content.digest.equals(digest);
  }

  @Override
  public int hashCode() {
    return digest.hashCode();
  }

  @Override
  public String toString() {
    return "%d bytes, %s".formatted(size, digest);
  }
}
