package dev.cove.model;

import java.security.SecureRandom;

/** Random lower-case letters and digits, for ids that become names of files and hosts. */
final class RandomText {
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";
  private static final String LETTERS_AND_DIGITS = LETTERS + "0123456789";
  private static final SecureRandom RANDOM = new SecureRandom();

  private RandomText() {}

  static char letter() {
    return LETTERS.charAt(RANDOM.nextInt(LETTERS.length()));
  }

  /** The beginning, filled up to that length. */
  static String after(String beginning, int length) {
    var text = new StringBuilder(length).append(beginning);
    while (text.length() < length) {
      text.append(LETTERS_AND_DIGITS.charAt(RANDOM.nextInt(LETTERS_AND_DIGITS.length())));
    }
    return text.toString();
  }
}
