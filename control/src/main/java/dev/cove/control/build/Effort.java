package dev.cove.control.build;

import dev.cove.model.ErrorCode;

/** Ends a search that patterns made to be slow would keep busy for hours. */
final class Effort {
  /** Steps of one character each: a few seconds. */
  static final long MAX = 400_000_000L;

  private final String what;
  private long left = MAX;

  /**
   * @param what begins the message
   */
  Effort(String what) {
    this.what = what;
  }

  void spend(long steps) {
    left -= steps;
    if (left < 0) {
      throw new BuildException(
          ErrorCode.TOO_LARGE,
          what + " takes too long to compare with all names; use fewer or simpler patterns");
    }
  }
}
