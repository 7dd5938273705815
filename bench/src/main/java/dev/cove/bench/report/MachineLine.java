package dev.cove.bench.report;

import java.time.Instant;

/** The machine and the moment: figures without them say nothing. */
public record MachineLine(
    String cpu, int cores, long memoryBytes, String kernel, String cgroups, Instant date) {}
