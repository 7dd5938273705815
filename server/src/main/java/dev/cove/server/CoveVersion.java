package dev.cove.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The version that the build gave this program. */
final class CoveVersion {
  static final String CURRENT = read();

  private CoveVersion() {}

  private static String read() {
    try (var in = CoveVersion.class.getResourceAsStream("version.txt")) {
      if (in == null) {
        throw new IllegalStateException("The program lacks its version.txt");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
