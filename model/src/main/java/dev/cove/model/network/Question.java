package dev.cove.model.network;

import java.time.Instant;

/**
 * May this be reached?
 *
 * @param waiting how many connections wait for the answer
 */
public record Question(String id, Destination destination, Instant since, int waiting) {}
