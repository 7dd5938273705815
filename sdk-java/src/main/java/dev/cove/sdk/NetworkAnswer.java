package dev.cove.sdk;

import java.util.Locale;

/** What the owner says when a sandbox wants to reach something new. */
public enum NetworkAnswer {
  /** Yes to those that wait now. */
  ONCE,

  /** Yes until the sandbox ends. */
  SESSION,

  /** Yes, as a rule that is kept. */
  ALWAYS,

  NO;

  /** As the HTTP API calls it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
