package dev.cove.cli;

/** What the process says at its end when the command inside did not decide it. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;

  /** Cove's own failure where the code otherwise belongs to the command. */
  static final int COVE_FAILED = 125;

  static final int CANNOT_RUN = 126;
  static final int NOT_FOUND = 127;
  static final int SIGNAL = 128;

  private ExitCode() {}
}
