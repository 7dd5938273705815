package dev.cove.sdk.transport;

import java.io.InputStream;

/** What a request carries. */
public sealed interface Body {
  /** Nothing. */
  record None() implements Body {}

  /** Bytes at hand; can be sent again. */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  record Bytes(byte[] bytes, String contentType) implements Body {}

  /**
   * Bytes as they come; can be sent once.
   *
   * @param length how many, or -1 when that is not known
   */
  record Streamed(InputStream source, long length, String contentType) implements Body {}

  static Body none() {
    return new None();
  }

  static Body json(byte[] utf8) {
    return new Bytes(utf8, "application/json");
  }
}
