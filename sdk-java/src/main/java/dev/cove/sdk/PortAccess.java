package dev.cove.sdk;

import java.util.Locale;

/** Who may use a port of a sandbox. An API key and a link open every port. */
public enum PortAccess {
  /** Nobody else. */
  PRIVATE,
  /** Everybody. */
  PUBLIC,
  /** Whoever sends the port's token. */
  BEARER,
  /** Whoever knows the port's password. */
  BASIC;

  /** As the HTTP API spells it. */
  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
