package dev.cove.review.tree;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** By which two contents are known to be the same. */
public final class Digests {
  private static final int PIECE = 64 * 1024;

  private Digests() {}

  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }

  public static String end(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Of all that is left in a stream. */
  public static String of(InputStream in) throws IOException {
    MessageDigest digest = begin();
    byte[] piece = new byte[PIECE];
    for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
      digest.update(piece, 0, read);
    }
    return end(digest);
  }
}
