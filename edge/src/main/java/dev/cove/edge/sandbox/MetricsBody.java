package dev.cove.edge.sandbox;

import dev.cove.node.SandboxMetrics;

/** What a sandbox uses, and may use. */
record MetricsBody(Cpu cpu, Memory memory, Disk disk, Processes processes, long oomKills) {
  record Cpu(double usedSeconds, double limit) {}

  record Memory(long usedBytes, long peakBytes, long limitBytes) {}

  record Disk(long usedBytes, long limitBytes, long inodesUsed, long inodesLimit) {}

  record Processes(int count, int limit) {}

  static MetricsBody of(SandboxMetrics metrics) {
    var limits = metrics.limits();
    return new MetricsBody(
        new Cpu(metrics.cpu().toNanos() / 1e9, limits.milliCpus() / 1_000.0),
        new Memory(
            metrics.memoryBytes(), metrics.memoryPeakBytes(), limits.memoryMb() * 1024L * 1024L),
        new Disk(
            metrics.diskUsedBytes(),
            metrics.diskTotalBytes(),
            metrics.inodesUsed(),
            metrics.inodesTotal()),
        new Processes(metrics.processes(), limits.maxProcesses()),
        metrics.oomKills());
  }
}
