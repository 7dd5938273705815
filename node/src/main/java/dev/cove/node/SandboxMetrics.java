package dev.cove.node;

import dev.cove.model.Resources;
import java.time.Duration;

/** What one sandbox uses now and may use at most. */
public record SandboxMetrics(
    Duration cpu,
    long memoryBytes,
    long memoryPeakBytes,
    long diskUsedBytes,
    long diskTotalBytes,
    long inodesUsed,
    long inodesTotal,
    int processes,
    long oomKills,
    Resources limits) {}
