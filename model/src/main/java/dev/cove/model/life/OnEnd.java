package dev.cove.model.life;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What becomes of a sandbox whose life is over. The lower-case name is part of the public API. */
public enum OnEnd {
  STOP,
  PAUSE,
  DELETE;

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<OnEnd> find(String publicName) {
    return Arrays.stream(values()).filter(one -> one.publicName().equals(publicName)).findFirst();
  }
}
