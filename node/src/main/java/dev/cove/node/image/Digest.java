package dev.cove.node.image;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The SHA-256 of a blob, in the words of the OCI: {@code sha256:} and 64 hexadecimal digits. */
public record Digest(String text) {
  private static final Pattern SHAPE = Pattern.compile("sha256:[0-9a-f]{64}");

  public Digest {
    if (!SHAPE.matcher(text).matches()) {
      throw new IllegalArgumentException("A digest is sha256: and 64 hexadecimal digits");
    }
  }

  public static Digest of(byte[] bytes) {
    return ofHash(sha256().digest(bytes));
  }

  static Digest ofHash(byte[] hash) {
    return new Digest("sha256:" + HexFormat.of().formatHex(hash));
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }

  String hex() {
    return text.substring("sha256:".length());
  }

  @Override
  public String toString() {
    return text;
  }
}
