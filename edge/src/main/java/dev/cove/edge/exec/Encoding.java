package dev.cove.edge.exec;

import org.jspecify.annotations.Nullable;

/** How output bytes become JSON text. */
enum Encoding {
  /** As UTF-8; what is not UTF-8 becomes U+FFFD. */
  UTF8,
  BASE64;

  static Encoding require(@Nullable String name) {
    return switch (name) {
      case null -> UTF8;
      case "utf8" -> UTF8;
      case "base64" -> BASE64;
      default -> throw new IllegalArgumentException("encoding must be utf8 or base64");
    };
  }
}
