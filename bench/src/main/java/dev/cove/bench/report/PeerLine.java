package dev.cove.bench.report;

/**
 * What became of one program that Cove is compared with.
 *
 * @param standing {@code measured}, {@code missing} or {@code unusable}
 * @param detail its version, or why it could not be measured
 */
public record PeerLine(String name, String standing, String detail) {}
