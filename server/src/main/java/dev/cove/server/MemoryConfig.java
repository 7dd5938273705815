package dev.cove.server;

import dev.cove.node.admission.Admission;
import dev.cove.node.admission.KernelMemory;

/**
 * How much memory there is for sandboxes.
 *
 * @param reserveMb what must stay available on the host, the server's own needs included
 * @param totalMb what all sandboxes may use together
 * @param overcommit how many times that their limits may add up to
 */
record MemoryConfig(int reserveMb, int totalMb, int overcommit) {
  private static final int LEAST_MB = 64;

  /**
   * @param wantedMb zero for all that the host has beyond the reserve, which is the most in any
   *     case
   */
  static MemoryConfig of(int reserveMb, int wantedMb, int overcommit) {
    long beyondReserve = (KernelMemory.totalBytes() >> 20) - reserveMb;
    int most = (int) Math.max(LEAST_MB, beyondReserve);
    return new MemoryConfig(reserveMb, wantedMb == 0 ? most : Math.min(wantedMb, most), overcommit);
  }

  long totalBytes() {
    return (long) totalMb << 20;
  }

  Admission.Limits admitting(int sandboxes) {
    return new Admission.Limits(sandboxes, (long) reserveMb << 20, totalBytes(), overcommit);
  }
}
