package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cove.model.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.util.Arrays;
import java.util.Collection;

/** Builds a payload. Names that a caller chose are checked here, before anything is sent. */
final class Payload {
  private byte[] bytes = new byte[128];
  private int length;

  Payload u8(int value) {
    room(1)[length++] = (byte) value;
    return this;
  }

  Payload u16(int value) {
    return u8(value).u8(value >> 8);
  }

  Payload u32(int value) {
    return u16(value).u16(value >> 16);
  }

  Payload u64(long value) {
    return u32((int) value).u32((int) (value >>> 32));
  }

  Payload raw(byte[] value, int from, int to) {
    System.arraycopy(value, from, room(to - from), length, to - from);
    length += to - from;
    return this;
  }

  /** A text with a NUL would mean something else to the kernel than to the caller. */
  Payload text(String value) {
    if (value.indexOf('\0') >= 0) {
      throw refused("A name, argument or path contains a NUL character");
    }
    byte[] encoded = encode(value);
    return u32(encoded.length).raw(encoded, 0, encoded.length).u8(0);
  }

  Payload texts(Collection<String> values) {
    u32(values.size());
    values.forEach(this::text);
    return this;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** A lone surrogate would silently become another name. */
  private static byte[] encode(String value) {
    try {
      ByteBuffer encoded =
          UTF_8
              .newEncoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .encode(CharBuffer.wrap(value));
      byte[] result = new byte[encoded.remaining()];
      encoded.get(result);
      return result;
    } catch (CharacterCodingException e) {
      throw refused("A name, argument or path is not valid Unicode text");
    }
  }

  private static GuestException refused(String message) {
    return new GuestException(ErrorCode.INVALID_REQUEST, Errno.EINVAL, message);
  }

  private byte[] room(int count) {
    if (bytes.length - length < count) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
    }
    return bytes;
  }

  static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
