package dev.cove.guest;

import java.time.Duration;

/** What the agent sees of its own sandbox; engines that can measure from outside are preferred. */
public record GuestMetrics(
    Duration cpu,
    long memoryBytes,
    long diskUsedBytes,
    long diskTotalBytes,
    long inodesUsed,
    long inodesTotal,
    int processes) {}
