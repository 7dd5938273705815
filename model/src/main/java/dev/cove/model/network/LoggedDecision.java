package dev.cove.model.network;

import java.time.Duration;
import java.time.Instant;

/**
 * What became of one wish to reach something, or of several alike in quick succession.
 *
 * @param time of the first
 * @param dialled the real address, or empty when none was dialled
 * @param verdict allowed or denied, and by what
 * @param count of connections
 * @param duration from the first connection's beginning to the last one's end, so far
 */
public record LoggedDecision(
    Instant time,
    Destination destination,
    String dialled,
    Verdict verdict,
    long count,
    long bytesSent,
    long bytesReceived,
    Duration duration) {}
