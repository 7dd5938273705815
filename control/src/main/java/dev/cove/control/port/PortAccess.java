package dev.cove.control.port;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Who may use a port. An API key and a link open every port, whatever is said here. */
public enum PortAccess {
  /** Nobody else. */
  PRIVATE,
  /** Everybody. */
  PUBLIC,
  /** Whoever sends the port's token. */
  BEARER,
  /** Whoever knows the port's password. */
  BASIC;

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<PortAccess> ofPublicName(String name) {
    return Arrays.stream(values()).filter(one -> one.publicName().equals(name)).findFirst();
  }

  boolean needsSecret() {
    return this == BEARER || this == BASIC;
  }
}
