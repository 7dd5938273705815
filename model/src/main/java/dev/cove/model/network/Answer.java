package dev.cove.model.network;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What the owner says to a {@link Question}. */
public enum Answer {
  /** The connections that wait now, and no others. */
  ONCE,
  /** Until the server ends or forgets the sandbox. */
  SESSION,
  /** For good: it becomes a rule. */
  ALWAYS,
  /** Not now, and not to be asked again in this session. */
  NO;

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Answer> find(String publicName) {
    return Arrays.stream(values())
        .filter(answer -> answer.publicName().equals(publicName))
        .findFirst();
  }
}
