package dev.cove.node;

/** How full a machine is. */
public record NodeStatus(
    int sandboxes,
    int maxSandboxes,
    int warmCages,
    long memoryAvailableBytes,
    long memoryReserveBytes,
    boolean diskLimits) {}
