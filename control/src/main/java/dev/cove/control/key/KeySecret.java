package dev.cove.control.key;

import dev.cove.control.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The part of a key that must not be known: 64 hex digits, of which the first 16 are the id and the
 * other 48 (192 bits) are only ever compared by their hash.
 *
 * <p>The hash leaves out the prefix, so the same digits serve behind the prefix of a dialect. It is
 * unsalted and fast because what it hides is random and long, not a password.
 */
final class KeySecret {
  static final String PREFIX = "cove_";
  private static final int ID_DIGITS = 16;
  private static final int DIGITS = 64;
  private static final Pattern SHAPE = Pattern.compile("[0-9a-f]{64}");
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Compared when nothing better was presented, so that a bad key takes no less time. */
  static final KeySecret NOBODYS = new KeySecret("0".repeat(DIGITS));

  private final String digits;

  private KeySecret(String digits) {
    this.digits = digits;
  }

  static KeySecret random() {
    byte[] bytes = new byte[DIGITS / 2];
    RANDOM.nextBytes(bytes);
    return new KeySecret(HexFormat.of().formatHex(bytes));
  }

  static Optional<KeySecret> parse(String presented) {
    if (presented.length() != PREFIX.length() + DIGITS || !presented.startsWith(PREFIX)) {
      return Optional.empty();
    }
    String digits = presented.substring(PREFIX.length());
    return SHAPE.matcher(digits).matches() ? Optional.of(new KeySecret(digits)) : Optional.empty();
  }

  String id() {
    return digits.substring(0, ID_DIGITS);
  }

  String last4() {
    return digits.substring(DIGITS - 4);
  }

  byte[] hash() {
    return Fingerprint.sha256().digest(digits.getBytes(StandardCharsets.US_ASCII));
  }

  boolean hasHash(byte[] expected) {
    return MessageDigest.isEqual(hash(), expected);
  }

  /** The whole key, for the one who asked for it. Called in one place. */
  String reveal() {
    return PREFIX + digits;
  }

  @Override
  public String toString() {
    return "secret";
  }
}
