package dev.cove.egress.secret;

import dev.cove.model.file.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** What everything at rest is encrypted with. Two keys are derived from the one in the file. */
final class VaultKey {
  private static final int BYTES = 32;
  private static final int IV_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path file;
  private final SecretKeySpec sealing;
  private final SecretKeySpec naming;

  private VaultKey(Path file, byte[] root) {
    this.file = file;
    sealing = new SecretKeySpec(mac(new SecretKeySpec(root, "HmacSHA256"), "sealing"), "AES");
    naming = new SecretKeySpec(mac(new SecretKeySpec(root, "HmacSHA256"), "naming"), "HmacSHA256");
  }

  /**
   * @param needed something is there that only the old key opens, so no new one is made
   */
  static VaultKey open(Path file, boolean needed) throws IOException {
    Optional<byte[]> found = PrivateFile.read(file);
    if (found.isEmpty() && needed) {
      throw new VaultException(
          "The key file %s is gone, and secrets are there that only it opens. Put it back, or move %s away and set the secrets anew."
              .formatted(file, file.toAbsolutePath().getParent()));
    }
    if (found.isEmpty()) {
      byte[] fresh = new byte[BYTES];
      RANDOM.nextBytes(fresh);
      PrivateFile.write(file, fresh);
      return new VaultKey(file, fresh);
    }
    if (found.get().length != BYTES) {
      throw new VaultException(
          "The key file %s is not one: it has %d bytes and not %d."
              .formatted(file, found.get().length, BYTES));
    }
    Set<PosixFilePermission> open = Files.getPosixFilePermissions(file);
    open.removeAll(Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
    if (!open.isEmpty()) {
      throw new VaultException(
          "The key file %s can be read by others. Run: chmod 600 %s".formatted(file, file));
    }
    return new VaultKey(file, found.get());
  }

  /** What comes out can be opened only together with the same words. */
  byte[] seal(byte[] plain, String associated) {
    byte[] iv = new byte[IV_BYTES];
    RANDOM.nextBytes(iv);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, iv, associated).doFinal(plain);
      byte[] both = Arrays.copyOf(iv, iv.length + sealed.length);
      System.arraycopy(sealed, 0, both, iv.length, sealed.length);
      return both;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM does not work here", e);
    }
  }

  byte[] unseal(byte[] sealed, String associated) throws VaultException {
    try {
      byte[] iv = Arrays.copyOf(sealed, IV_BYTES);
      return cipher(Cipher.DECRYPT_MODE, iv, associated)
          .doFinal(
              sealed, Math.min(IV_BYTES, sealed.length), Math.max(0, sealed.length - IV_BYTES));
    } catch (GeneralSecurityException e) {
      throw new VaultException(
          "What is kept of %s does not open with the key file %s. Put back the key file that it was written with."
              .formatted(associated, file),
          e);
    }
  }

  private Cipher cipher(int mode, byte[] iv, String associated) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, sealing, new GCMParameterSpec(TAG_BITS, iv));
    cipher.updateAAD(associated.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }

  /** The same for the same words, and worth nothing to whoever has not the key. */
  byte[] digest(String words) {
    return mac(naming, words);
  }

  private static byte[] mac(SecretKeySpec key, String words) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      return mac.doFinal(words.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC does not work here", e);
    }
  }
}
