package dev.cove.edge.exec;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Turns bytes that come in pieces into text, with no character torn at a seam. */
final class TextPieces {
  private static final int LONGEST_CHARACTER = 4;

  private final Encoding encoding;
  private final ByteBuffer pending;
  private final CharBuffer characters;
  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);

  TextPieces(Encoding encoding) {
    this.encoding = encoding;
    int longest = encoding == Encoding.UTF8 ? OutputReader.PIECE + LONGEST_CHARACTER : 0;
    this.pending = ByteBuffer.allocate(longest);
    this.characters = CharBuffer.allocate(longest);
  }

  /** The text of the next piece; a character whose end is still to come waits for it. */
  String next(byte[] bytes, int length) {
    return switch (encoding) {
      case BASE64 ->
          StandardCharsets.ISO_8859_1
              .decode(Base64.getEncoder().encode(ByteBuffer.wrap(bytes, 0, length)))
              .toString();
      case UTF8 -> {
        pending.put(bytes, 0, length);
        yield decode(false);
      }
    };
  }

  /** What is left when nothing follows. */
  String rest() {
    return decode(true);
  }

  private String decode(boolean last) {
    pending.flip();
    characters.clear();
    decoder.decode(pending, characters, last);
    pending.compact();
    return characters.flip().toString();
  }
}
