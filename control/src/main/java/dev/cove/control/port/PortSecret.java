package dev.cove.control.port;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Tokens and passwords of ports: random, long, and kept as a hash only. */
final class PortSecret {
  /** Begins like an API key, so that whoever strips one from a request strips the other as well. */
  private static final String PREFIX = "cove_port_";

  private static final int BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private PortSecret() {}

  static String random() {
    return PREFIX + HexFormat.of().formatHex(randomBytes());
  }

  static byte[] randomBytes() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** Unsalted and fast because what it hides is random and long, not chosen by a person. */
  static byte[] hash(String secret) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
