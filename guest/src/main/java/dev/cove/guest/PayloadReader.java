package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Takes a payload apart. Whatever does not fit is a {@link BrokenFrameException}. */
final class PayloadReader {
  private final ByteBuffer in;

  PayloadReader(byte[] payload) {
    in = Payload.littleEndian(payload);
  }

  int u8() throws BrokenFrameException {
    require(1);
    return in.get() & 0xff;
  }

  int u16() throws BrokenFrameException {
    require(2);
    return in.getShort() & 0xffff;
  }

  int i32() throws BrokenFrameException {
    require(4);
    return in.getInt();
  }

  long i64() throws BrokenFrameException {
    require(8);
    return in.getLong();
  }

  /** A number that the protocol says is not negative. */
  long count() throws BrokenFrameException {
    long value = i64();
    if (value < 0) {
      throw new BrokenFrameException("a count is negative");
    }
    return value;
  }

  /** Bytes that are no UTF-8 become replacement characters: names are for people to read. */
  String text() throws BrokenFrameException {
    int length = i32();
    if (length < 0 || length >= in.remaining()) {
      throw new BrokenFrameException("a text is longer than its frame");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    if (in.get() != 0) {
      throw new BrokenFrameException("a text has no end");
    }
    return new String(bytes, UTF_8);
  }

  List<String> texts() throws BrokenFrameException {
    int count = i32();
    if (count < 0 || count > in.remaining() / 5) {
      throw new BrokenFrameException("a list is longer than its frame");
    }
    List<String> texts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      texts.add(text());
    }
    return texts;
  }

  boolean atEnd() {
    return !in.hasRemaining();
  }

  void requireEnd() throws BrokenFrameException {
    if (!atEnd()) {
      throw new BrokenFrameException("a payload has " + in.remaining() + " bytes too many");
    }
  }

  private void require(int count) throws BrokenFrameException {
    if (in.remaining() < count) {
      throw new BrokenFrameException("a payload ends too soon");
    }
  }
}
