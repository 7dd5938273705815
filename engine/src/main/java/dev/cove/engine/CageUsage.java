package dev.cove.engine;

import java.time.Duration;

/**
 * What a cage has used, measured by the host and not by the guest.
 *
 * @param diskBytes used of the writable layer, or -1 where the host cannot tell
 * @param inodes used of the writable layer, or -1 where the host cannot tell
 * @param oomKills processes that the kernel killed at the memory limit, ever
 */
public record CageUsage(
    Duration cpu,
    long memoryBytes,
    long memoryPeakBytes,
    long diskBytes,
    long inodes,
    int processes,
    long oomKills) {}
