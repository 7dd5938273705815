package dev.cove.control.webhook;

import dev.cove.control.Fingerprint;
import dev.cove.control.key.PrivateFile;
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
 * The secrets that webhooks' messages are signed with. None is kept: each follows from the one key
 * in a file that only the server can read, so that the ledger alone, or a copy of it, betrays none.
 */
final class Secrets {
  private static final String ALGORITHM = "HmacSHA256";
  private static final Pattern SHAPE = Pattern.compile("[0-9a-f]{64}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] key;

  private Secrets(byte[] key) {
    this.key = key;
  }

  /** Makes the file if there is none. */
  static Secrets open(Path file) throws IOException {
    Optional<String> found = PrivateFile.find(file);
    if (found.isEmpty()) {
      byte[] fresh = new byte[32];
      RANDOM.nextBytes(fresh);
      PrivateFile.write(file, HexFormat.of().formatHex(fresh));
      return new Secrets(fresh);
    }
    if (!SHAPE.matcher(found.get()).matches()) {
      throw new IOException("it is not a key of webhooks; put the right one back, or remove it");
    }
    return new Secrets(HexFormat.of().parseHex(found.get()));
  }

  String of(String webhook, int generation) {
    return "whsec_" + HexFormat.of().formatHex(mac(key, webhook + ":" + generation));
  }

  String hash(String webhook, int generation) {
    byte[] secret = of(webhook, generation).getBytes(StandardCharsets.US_ASCII);
    return HexFormat.of().formatHex(Fingerprint.sha256().digest(secret));
  }

  /** The value of the header that vouches for a message. */
  static String sign(String secret, long epochSeconds, String body) {
    byte[] signature = mac(secret.getBytes(StandardCharsets.US_ASCII), epochSeconds + "." + body);
    return "t=" + epochSeconds + ",v1=" + HexFormat.of().formatHex(signature);
  }

  private static byte[] mac(byte[] key, String text) {
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
