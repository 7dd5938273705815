package dev.cove.edge.e2b;

import dev.cove.control.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/** What makes an address of a file good for whoever has it. */
public final class FileSignature {
  private FileSignature() {}

  /**
   * What a signature is over, as it stands in the address.
   *
   * @param expiration in seconds since 1970, as text
   */
  public record Signed(
      String path, String operation, String username, Optional<String> expiration) {
    boolean hasExpired(Instant now) {
      return expiration
          .map(text -> text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0)
          .map(second -> second < now.getEpochSecond())
          .orElse(false);
    }
  }

  static String of(Signed what, String token) {
    String text =
        String.join(":", what.path(), what.operation(), what.username(), token)
            + what.expiration().map(second -> ":" + second).orElse("");
    byte[] hash = Fingerprint.sha256().digest(text.getBytes(StandardCharsets.UTF_8));
    return "v1_" + Base64.getEncoder().withoutPadding().encodeToString(hash);
  }
}
