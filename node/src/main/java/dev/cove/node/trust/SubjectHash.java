package dev.cove.node.trust;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;

/**
 * The name under which OpenSSL looks for a certificate in a folder of them, as {@code openssl x509
 * -subject_hash} tells it.
 */
final class SubjectHash {
  private static final int UTF8_STRING = 0x0C;
  private static final int PRINTABLE_STRING = 0x13;
  private static final int SHORT = 0x80;

  private SubjectHash() {}

  /** Nothing for a subject that is not short and of ordinary text, as those of ours are. */
  static Optional<String> of(X500Principal subject) {
    byte[] name = subject.getEncoded();
    if (name.length >= SHORT) {
      return Optional.empty();
    }
    try {
      byte[] hash = MessageDigest.getInstance("SHA-1").digest(canonical(name));
      int first = ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN).getInt();
      return Optional.of("%08x".formatted(first));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-1", e);
    }
  }

  /** Its attributes, one after the other, with their text in small letters and of one type. */
  private static byte[] canonical(byte[] name) {
    ByteBuffer names = content(ByteBuffer.wrap(name));
    var all = new ByteArrayOutputStream();
    while (names.hasRemaining()) {
      ByteBuffer attribute = content(content(names));
      byte[] type = whole(attribute);
      int kind = attribute.get(attribute.position());
      byte[] text = bytes(content(attribute));
      boolean ordinary = kind == UTF8_STRING || kind == PRINTABLE_STRING;
      byte[] value = ordinary ? wrapped(UTF8_STRING, plain(text)) : wrapped(kind, text);
      all.writeBytes(wrapped(0x31, wrapped(0x30, joined(type, value))));
    }
    return all.toByteArray();
  }

  private static byte[] plain(byte[] text) {
    String words = new String(text, StandardCharsets.UTF_8).strip().replaceAll("\\s+", " ");
    return words.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
  }

  /** What is in the next element, which is stepped over. */
  private static ByteBuffer content(ByteBuffer der) {
    der.get();
    int length = der.get(); // of one byte, since all of it is short
    ByteBuffer inner = der.slice(der.position(), length);
    der.position(der.position() + length);
    return inner;
  }

  private static byte[] whole(ByteBuffer der) {
    int from = der.position();
    content(der);
    return bytes(der.slice(from, der.position() - from));
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static byte[] wrapped(int tag, byte[] content) {
    return joined(new byte[] {(byte) tag, (byte) content.length}, content);
  }

  private static byte[] joined(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }
}
