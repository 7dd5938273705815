package dev.cove.edge.http;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Percent-decoding that refuses what other decoders guess at. */
public final class Percent {
  private Percent() {}

  /** Decodes a path segment, where + is itself. */
  public static String decode(String what, String text) {
    return text.indexOf('%') < 0 ? text : decodeBytes(what, text, false);
  }

  /** Decodes a query part, where + is a space. */
  public static String decodeForm(String what, String text) {
    return text.indexOf('%') < 0 ? text.replace('+', ' ') : decodeBytes(what, text, true);
  }

  private static String decodeBytes(String what, String text, boolean plusIsSpace) {
    byte[] raw = text.getBytes(StandardCharsets.UTF_8);
    byte[] decoded = new byte[raw.length];
    int length = 0;
    for (int i = 0; i < raw.length; i++) {
      byte b = raw[i];
      if (b == '%') {
        int high = i + 2 < raw.length ? Character.digit(raw[i + 1], 16) : -1;
        int low = i + 2 < raw.length ? Character.digit(raw[i + 2], 16) : -1;
        if (high < 0 || low < 0) {
          throw broken(what, "a % that two hexadecimal digits do not follow");
        }
        b = (byte) (high << 4 | low);
        i += 2;
      } else if (b == '+' && plusIsSpace) {
        b = ' ';
      }
      decoded[length++] = b;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(decoded, 0, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw broken(what, "bytes that are not UTF-8");
    }
  }

  private static CoveException broken(String what, String why) {
    return new CoveException(ErrorCode.INVALID_REQUEST, "The " + what + " contains " + why);
  }
}
