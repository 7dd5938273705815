package dev.cove.engine;

import java.util.Optional;

/**
 * What there is of a sealed layer.
 *
 * @param bytes what it takes on the disk
 * @param size what it would take without holes
 * @param digest names its content, such as {@code sha256:…}; comes a moment after the layer
 */
public record LayerFacts(long bytes, long size, Optional<String> digest) {}
