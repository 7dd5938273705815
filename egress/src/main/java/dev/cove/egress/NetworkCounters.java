package dev.cove.egress;

/**
 * What a sandbox did with the network since it was attached.
 *
 * @param open connections now
 * @param bytesSent of this and earlier times that it was attached; the same of those received
 * @param connections that were made to the world
 * @param denied connections and requests
 * @param nameQueriesDenied for names that may not be reached, or over the limit
 * @param faults of the gateway itself
 */
public record NetworkCounters(
    int open,
    long connections,
    long denied,
    long bytesSent,
    long bytesReceived,
    long nameQueries,
    long nameQueriesDenied,
    long faults) {}
