package dev.cove.engine.container;

import java.util.Map;
import java.util.TreeMap;

/** The capabilities that building a cage takes, by their numbers in {@code linux/capability.h}. */
final class CapabilityNames {
  static final Map<Integer, String> NEEDED =
      new TreeMap<>(
          Map.of(
              0, "CAP_CHOWN",
              1, "CAP_DAC_OVERRIDE",
              3, "CAP_FOWNER",
              5, "CAP_KILL",
              6, "CAP_SETGID",
              7, "CAP_SETUID",
              8, "CAP_SETPCAP",
              12, "CAP_NET_ADMIN",
              21, "CAP_SYS_ADMIN",
              27, "CAP_MKNOD"));

  private CapabilityNames() {}
}
