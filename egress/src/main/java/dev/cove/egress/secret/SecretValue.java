package dev.cove.egress.secret;

import java.nio.charset.StandardCharsets;

/** A secret's value, which no text of an object shows. */
final class SecretValue {
  static final int MIN_BYTES = 8;
  static final int MAX_BYTES = 64 << 10;

  private final String text;

  /**
   * @throws IllegalArgumentException it could not stand in a header as it is
   */
  SecretValue(byte[] bytes) {
    if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "A secret has %d to %d characters: a shorter one could not be told from other text when it comes back"
              .formatted(MIN_BYTES, MAX_BYTES));
    }
    for (byte each : bytes) {
      if (each < ' ' || each > '~') {
        throw new IllegalArgumentException(
            "A secret holds printable ASCII characters only, and no line ends: others can not be sent in a header");
      }
    }
    if (bytes[0] == ' ' || bytes[bytes.length - 1] == ' ') {
      throw new IllegalArgumentException("A secret begins and ends with no space");
    }
    text = new String(bytes, StandardCharsets.US_ASCII);
  }

  /** For the request that it goes out with, and for what must not come back. */
  String reveal() {
    return text;
  }

  byte[] bytes() {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public String toString() {
    return "secret";
  }
}
