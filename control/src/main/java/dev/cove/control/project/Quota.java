package dev.cove.control.project;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Optional;

/** What a project can be given a limit for. */
public enum Quota {
  /** Sandboxes that exist, in whatever state. */
  SANDBOXES("sandboxes", "sandboxes"),
  /** Thousandths of processors, of sandboxes that run, start or are paused. */
  MILLI_CPUS("cpus", "milli_cpus"),
  /** Memory limits of the same sandboxes. */
  MEMORY_MB("memoryMb", "memory_mb"),
  /** Disk limits of all sandboxes that exist, and sizes of volumes. */
  DISK_MB("diskMb", "disk_mb"),
  /** Sandboxes made within the last minute, forks included. */
  CREATES_PER_MINUTE("createsPerMinute", "creates_per_minute"),
  /** What its sandboxes send and receive, both ways together, in a day of UTC. */
  EGRESS_MB_PER_DAY("egressMbPerDay", "egress_mb_per_day");

  /** Nobody means more than that. */
  public static final long MOST = 1_000_000_000;

  private final String publicName;
  private final String column;

  Quota(String publicName, String column) {
    this.publicName = publicName;
    this.column = column;
  }

  public String publicName() {
    return publicName;
  }

  String column() {
    return column;
  }

  public static Optional<Quota> find(String publicName) {
    return Arrays.stream(values()).filter(one -> one.publicName.equals(publicName)).findFirst();
  }

  /** As people write it: processors are whole ones and parts of them. */
  public String text(long amount) {
    return this == MILLI_CPUS
        ? new BigDecimal(amount).movePointLeft(3).stripTrailingZeros().toPlainString()
        : Long.toString(amount);
  }
}
