package dev.cove.control.port;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs and checks passes: the second at which one ends, and a MAC over that, the port, the sandbox
 * and what the pass is for. Nothing of it can be changed, and none serves as another kind.
 */
final class LinkSeal {
  private static final String ALGORITHM = "HmacSHA256";
  private static final Pattern SHAPE = Pattern.compile("([1-9][0-9]{0,11})\\.[A-Za-z0-9_-]{43}");

  /** What a pass is for. */
  enum Kind {
    /** To be put into an address. */
    LINK,
    /** To be kept by a browser that opened a link. */
    COOKIE
  }

  private LinkSeal() {}

  static Pass seal(byte[] key, Kind kind, PortAddress address, Instant expiresAt) {
    long second = expiresAt.getEpochSecond();
    return new Pass(text(key, kind, address, second), Instant.ofEpochSecond(second));
  }

  /** The pass that a text is, if it was sealed with this key for this and has not ended. */
  static Optional<Pass> open(
      byte[] key, Kind kind, PortAddress address, String presented, Instant now) {
    var shape = SHAPE.matcher(presented);
    if (!shape.matches()) {
      return Optional.empty();
    }
    long second = Long.parseLong(shape.group(1));
    boolean same =
        MessageDigest.isEqual(
            text(key, kind, address, second).getBytes(StandardCharsets.US_ASCII),
            presented.getBytes(StandardCharsets.US_ASCII));
    return same && now.getEpochSecond() < second
        ? Optional.of(new Pass(presented, Instant.ofEpochSecond(second)))
        : Optional.empty();
  }

  private static String text(byte[] key, Kind kind, PortAddress address, long second) {
    String sealed = "%s\n%s\n%d\n%d".formatted(kind, address.sandbox(), address.port(), second);
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      byte[] sum = mac.doFinal(sealed.getBytes(StandardCharsets.US_ASCII));
      return second + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(sum);
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("Every JDK has " + ALGORITHM, e);
    }
  }
}
