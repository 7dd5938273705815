package dev.cove.cli;

import dev.cove.sdk.CoveApiException;

/** Tells apart, as shells do, a program that is missing from one that can't be run. */
final class Refusal {
  private Refusal() {}

  static int exitCode(CoveApiException refusal) {
    if (!refusal.code().equals("guest_refused")) {
      return ExitCode.COVE_FAILED;
    }
    String detail = refusal.detail();
    if (!detail.startsWith("The program ")) {
      return ExitCode.COVE_FAILED;
    }
    boolean missing = detail.contains("not found") || detail.contains("No such file");
    return missing ? ExitCode.NOT_FOUND : ExitCode.CANNOT_RUN;
  }
}
