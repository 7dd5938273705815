package dev.cove.node.trust;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Puts a certificate into a trust store of the format that Debian keeps for all its JDKs.
 *
 * <p>The store comes out of a sandbox, so it is not opened as one: only the outline of its entries
 * is followed, and their content is copied as it is. What does not look as Debian writes it, keys
 * and passwords of somebody's own above all, is left alone.
 */
final class JavaTrustStore {
  private static final int MAGIC = 0xFEEDFEED;
  private static final int VERSION = 2;
  private static final int TRUSTED = 2;
  private static final int DIGEST_BYTES = 20;
  private static final int MAX_ENTRIES = 4_096;
  private static final String PASSWORD = "changeit";
  private static final String SALT = "Mighty Aphrodite";

  private JavaTrustStore() {}

  /**
   * The store with that certificate, instead of whatever it has under that name.
   *
   * @return nothing when it is not a store of the usual kind
   */
  static Optional<byte[]> with(byte[] store, String alias, byte[] certificate) {
    int end = store.length - DIGEST_BYTES;
    if (end <= 0 || !Arrays.equals(digest(store, end), Arrays.copyOfRange(store, end, end + 20))) {
      return Optional.empty();
    }
    try (var in = new DataInputStream(new ByteArrayInputStream(store, 0, end))) {
      if (in.readInt() != MAGIC || in.readInt() != VERSION) {
        return Optional.empty();
      }
      int count = in.readInt();
      if (count < 0 || count > MAX_ENTRIES) {
        return Optional.empty();
      }
      var entries = new ByteArrayOutputStream(store.length + certificate.length);
      int kept = 0;
      var out = new DataOutputStream(entries);
      for (int i = 0; i < count; i++) {
        if (in.readInt() != TRUSTED) {
          return Optional.empty();
        }
        String name = in.readUTF();
        long date = in.readLong();
        String type = in.readUTF();
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
          return Optional.empty();
        }
        byte[] content = in.readNBytes(length);
        if (!name.equals(alias)) {
          put(out, name, date, type, content);
          kept++;
        }
      }
      put(out, alias, 0, "X.509", certificate);
      return in.available() > 0
          ? Optional.empty()
          : Optional.of(complete(kept + 1, entries.toByteArray()));
    } catch (IOException e) {
      return Optional.empty(); // it ends too early, or a name is no text
    }
  }

  private static void put(
      DataOutputStream out, String name, long date, String type, byte[] certificate)
      throws IOException {
    out.writeInt(TRUSTED);
    out.writeUTF(name);
    out.writeLong(date);
    out.writeUTF(type);
    out.writeInt(certificate.length);
    out.write(certificate);
  }

  private static byte[] complete(int count, byte[] entries) throws IOException {
    var all = new ByteArrayOutputStream(entries.length + 64);
    var out = new DataOutputStream(all);
    out.writeInt(MAGIC);
    out.writeInt(VERSION);
    out.writeInt(count);
    out.write(entries);
    byte[] content = all.toByteArray();
    out.write(digest(content, content.length));
    return all.toByteArray();
  }

  private static byte[] digest(byte[] content, int length) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      digest.update(PASSWORD.getBytes(StandardCharsets.UTF_16BE));
      digest.update(SALT.getBytes(StandardCharsets.UTF_8));
      digest.update(content, 0, length);
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-1", e);
    }
  }
}
