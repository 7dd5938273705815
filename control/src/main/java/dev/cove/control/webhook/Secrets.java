package dev.cove.control.webhook;

import dev.cove.control.Fingerprint;
import dev.cove.control.key.DerivedSecrets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;

/** The secrets that webhooks' messages are signed with. */
final class Secrets {
  private final DerivedSecrets derived;

  private Secrets(DerivedSecrets derived) {
    this.derived = derived;
  }

  /** Makes the file if there is none. */
  static Secrets open(Path file) throws IOException {
    return new Secrets(DerivedSecrets.open(file));
  }

  String of(String webhook, int generation) {
    return "whsec_" + derived.of(webhook + ":" + generation);
  }

  String hash(String webhook, int generation) {
    byte[] secret = of(webhook, generation).getBytes(StandardCharsets.US_ASCII);
    return HexFormat.of().formatHex(Fingerprint.sha256().digest(secret));
  }

  /** The value of the header that vouches for a message. */
  static String sign(String secret, long epochSeconds, String body) {
    byte[] key = secret.getBytes(StandardCharsets.US_ASCII);
    byte[] signature = DerivedSecrets.mac(key, epochSeconds + "." + body);
    return "t=" + epochSeconds + ",v1=" + HexFormat.of().formatHex(signature);
  }

  @Override
  public String toString() {
    return "secret";
  }
}
