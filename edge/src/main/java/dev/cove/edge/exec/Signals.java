package dev.cove.edge.exec;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Linux's signals by number and name. */
public final class Signals {
  public static final int KILL = 9;
  private static final int FIRST_REAL_TIME = 34;
  private static final int LAST = 64;

  // In the order of their numbers, from 1.
  private static final List<String> NAMES =
      List.of(
          "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
          "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
          "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS");

  private static final Map<String, Integer> NUMBERS = new HashMap<>();

  static {
    for (int i = 0; i < NAMES.size(); i++) {
      NUMBERS.put(NAMES.get(i), i + 1);
    }
  }

  private Signals() {}

  /** {@code TERM} or {@code SIGTERM} or {@code 15}. */
  public static int require(Object value) {
    return find(value)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "signal must be a name such as TERM or SIGTERM, or a number from 1 to " + LAST));
  }

  private static Optional<Integer> find(Object value) {
    return switch (value) {
      case String name ->
          Optional.ofNullable(NUMBERS.get(name.startsWith("SIG") ? name.substring(3) : name));
      case Integer number when number >= 1 && number <= LAST -> Optional.of(number);
      default -> Optional.empty();
    };
  }

  /** The name as callers see it; empty for 0, which is no signal. */
  public static Optional<String> name(int signal) {
    if (signal < 1) {
      return Optional.empty();
    }
    if (signal <= NAMES.size()) {
      return Optional.of("SIG" + NAMES.get(signal - 1));
    }
    return Optional.of(
        signal < FIRST_REAL_TIME ? "SIG" + signal : "SIGRTMIN+" + (signal - FIRST_REAL_TIME));
  }
}
