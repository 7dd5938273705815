package dev.cove.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** What somebody typed at the terminal, without the end of the line. */
@SuppressWarnings("ArrayRecordComponent") // passed on, never compared
record TypedLine(byte[] bytes) {
  private static final int MAX = 64 * 1024;

  /** Nothing at the end of the input. */
  static Optional<TypedLine> read(Session session) {
    var line = new ByteArrayOutputStream();
    try {
      int next = session.in().read();
      if (next < 0) {
        return Optional.empty();
      }
      for (; next >= 0 && next != '\n'; next = session.in().read()) {
        if (line.size() == MAX) {
          throw new UserError("The line is too long");
        }
        line.write(next);
      }
    } catch (IOException e) {
      throw UserError.of("The terminal cannot be read", e);
    }
    return Optional.of(new TypedLine(line.toByteArray()));
  }

  String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** It may be a password. */
  @Override
  public String toString() {
    return "TypedLine[" + bytes.length + " bytes]";
  }
}
