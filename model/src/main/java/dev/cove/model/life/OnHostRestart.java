package dev.cove.model.life;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What becomes of a sandbox that ran while the host went down. The lower-case name is part of the
 * public API.
 */
public enum OnHostRestart {
  /** It is stopped, and starts when it is used. */
  STOP,
  /** It is started when the server is back. */
  START;

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<OnHostRestart> find(String publicName) {
    return Arrays.stream(values()).filter(one -> one.publicName().equals(publicName)).findFirst();
  }
}
