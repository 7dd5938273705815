package dev.cove.control.sandbox;

import java.text.Normalizer;

/** Which names count as the same. */
final class SandboxName {
  private SandboxName() {}

  /** Two spellings of one text, composed and decomposed, look alike and are one name. */
  static String key(String name) {
    return Normalizer.normalize(name, Normalizer.Form.NFC);
  }
}
