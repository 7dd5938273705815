package dev.cove.engine;

import java.time.Duration;

/**
 * How a layer was made.
 *
 * @param moved the sandbox itself now stands on the layer, with an empty writable one above it;
 *     otherwise the layer is a copy
 * @param frozen for how long the sandbox's processes stood still
 * @param bytes what the layer takes on the disk
 */
public record Sealing(boolean moved, Duration frozen, long bytes) {}
