package dev.cove.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A short name for some texts: SHA-256 over all of them, with lengths, so that no two lists of
 * texts spell the same bytes.
 */
public final class Fingerprint {
  private final MessageDigest digest = sha256();

  public Fingerprint add(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    digest.update(bytes);
    return this;
  }

  public Fingerprint add(List<String> texts) {
    add(Integer.toString(texts.size()));
    texts.forEach(this::add);
    return this;
  }

  /** In whatever order the map has them. */
  public Fingerprint add(Map<String, String> entries) {
    add(Integer.toString(entries.size()));
    new TreeMap<>(entries).forEach((name, value) -> add(name).add(value));
    return this;
  }

  /** In hexadecimal; nothing may be added after it. */
  public String hex() {
    return HexFormat.of().formatHex(digest.digest());
  }

  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
