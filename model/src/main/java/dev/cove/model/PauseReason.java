package dev.cove.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Why a sandbox stands still. The lower-case name is part of the public API. */
public enum PauseReason {
  /** Somebody said so. */
  ASKED,
  /** Nothing had happened in it for as long as its rules allow. */
  IDLE,
  /** Its life was over. */
  MAX_LIFE,
  /** All that it, or its project, may use has been used. */
  BUDGET;

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<PauseReason> find(String publicName) {
    return Arrays.stream(values()).filter(one -> one.publicName().equals(publicName)).findFirst();
  }
}
