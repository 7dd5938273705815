package dev.cove.sdk;

import java.util.List;

/** Linux numbers its signals alike on x86 and ARM. */
final class SignalNumber {
  private static final List<String> NAMES =
      List.of(
          "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
          "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
          "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS");

  private SignalNumber() {}

  /** Zero for a name that is not known, so that 128 is left. */
  static int of(String name) {
    return NAMES.indexOf(name.startsWith("SIG") ? name.substring(3) : name) + 1;
  }
}
