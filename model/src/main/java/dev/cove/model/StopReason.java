package dev.cove.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Why a sandbox has no process. The lower-case name is part of the public API. */
public enum StopReason {
  /** Somebody said so. */
  ASKED(false),
  /** The server ended with all its sandboxes. */
  SHUT_DOWN(true),
  HOST_RESTARTED(true),
  /** The kernel ended it at its memory limit. */
  OUT_OF_MEMORY(true),
  /** Its agent, and with it every process, ended or stopped answering. */
  AGENT_ENDED(true),
  /** It ended while the server did not run. */
  LOST(true),
  /** It had been paused for as long as its rules allow. */
  IDLE(true),
  /** Its life was over. */
  MAX_LIFE(false),
  /** It comes from a backup, which holds files and no processes. */
  RESTORED(true),
  /** It was deleted, and then it was not. */
  UNDELETED(true);

  private final boolean wakes;

  StopReason(boolean wakes) {
    this.wakes = wakes;
  }

  /** Whether a command, a file call or a request to a port starts it again by itself. */
  public boolean wakes() {
    return wakes;
  }

  public String publicName() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<StopReason> find(String publicName) {
    return Arrays.stream(values()).filter(one -> one.publicName().equals(publicName)).findFirst();
  }
}
