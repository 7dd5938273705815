package dev.cove.edge.e2b.volume;

import dev.cove.control.key.DerivedSecrets;
import dev.cove.control.volume.Volume;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.model.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** What opens the files of a volume, and nothing else. */
record VolumeTokens(DerivedSecrets secrets) {
  private static final String BEARER = "Bearer ";

  String of(Volume volume) {
    return secrets.of("volume:" + volume.id());
  }

  void require(Exchange exchange, Volume volume) {
    String presented = exchange.header("Authorization").orElse("");
    byte[] wanted = (BEARER + of(volume)).getBytes(StandardCharsets.UTF_8);
    if (!MessageDigest.isEqual(wanted, presented.getBytes(StandardCharsets.UTF_8))) {
      throw new HttpRefusal(401, ErrorCode.UNAUTHENTICATED, "The token is not that of this volume");
    }
  }
}
