package dev.cove.engine;

import java.time.Duration;
import java.util.Optional;

/**
 * What a cage has used, measured by the host and not by the guest.
 *
 * @param disk of the writable layer; empty where the host cannot tell
 * @param oomKills processes that the kernel killed at the memory limit, ever
 */
public record CageUsage(
    Duration cpu,
    long memoryBytes,
    long memoryPeakBytes,
    Optional<Disk> disk,
    int processes,
    long oomKills) {
  /** What is used of a file system, and what it has. */
  public record Disk(long usedBytes, long totalBytes, long inodesUsed, long inodesTotal) {}
}
