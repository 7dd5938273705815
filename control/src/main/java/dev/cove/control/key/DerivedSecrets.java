package dev.cove.control.key;

import dev.cove.model.file.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secrets of which none is kept: each follows from the one key in a file that only the server can
 * read, so that the ledger alone, or a copy of it, betrays none.
 */
public final class DerivedSecrets {
  private static final String ALGORITHM = "HmacSHA256";
  private static final Pattern SHAPE = Pattern.compile("[0-9a-f]{64}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] key;

  private DerivedSecrets(byte[] key) {
    this.key = key;
  }

  /** Makes the file if there is none. */
  public static DerivedSecrets open(Path file) throws IOException {
    Optional<String> found = PrivateFile.readLine(file);
    if (found.isEmpty()) {
      byte[] fresh = new byte[32];
      RANDOM.nextBytes(fresh);
      PrivateFile.writeLine(file, HexFormat.of().formatHex(fresh));
      return new DerivedSecrets(fresh);
    }
    if (!SHAPE.matcher(found.get()).matches()) {
      throw new IOException("it does not hold a key; put the right one back, or remove it");
    }
    return new DerivedSecrets(HexFormat.of().parseHex(found.get()));
  }

  /** The secret of that name, in hexadecimal; always the same. */
  public String of(String name) {
    return HexFormat.of().formatHex(mac(key, name));
  }

  public static byte[] mac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JDK has no " + ALGORITHM, e);
    }
  }

  @Override
  public String toString() {
    return "secret";
  }
}
