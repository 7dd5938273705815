package dev.cove.node;

import dev.cove.model.meter.Counter;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the machine has counted of a sandbox, up to now. What is empty was not counted, which is not
 * the same as zero.
 *
 * @param cpuMicros processor time of the cage that it has now
 * @param memoryBytes in use at this moment
 * @param diskBytes that its own files take on the host's disk
 */
public record Reading(
    Optional<Counter> cpuMicros,
    OptionalLong memoryBytes,
    OptionalLong diskBytes,
    Optional<Counter> sentBytes,
    Optional<Counter> receivedBytes) {}
