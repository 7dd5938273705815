package dev.cove.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What lies below all layers of a root file system. */
public enum Base {
  /** The host's own programs. */
  HOST,
  /** Nothing: the layers hold all there is. */
  EMPTY;

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Base> find(String publicName) {
    return Arrays.stream(values()).filter(b -> b.publicName().equals(publicName)).findFirst();
  }
}
