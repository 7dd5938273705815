package dev.cove.engine;

import dev.cove.model.meter.Counter;

/**
 * What the host counts of a cage, at the cost of two small reads.
 *
 * @param cpuMicros processor time; begins at zero with each cage that is built
 * @param memoryBytes in use at this moment
 */
public record CageCount(Counter cpuMicros, long memoryBytes) {}
