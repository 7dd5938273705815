package dev.cove.edge.e2b;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.node.SandboxMetrics;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What sandboxes use, as E2B counts it. */
public final class SandboxFigures {
  private static final long MIB = 1024 * 1024;

  private final SandboxLifecycle lifecycle;
  private final Clock clock;
  private final Map<SandboxId, Seen> before = new ConcurrentHashMap<>();

  /** How much time on processors had been used when somebody last asked. */
  private record Seen(Instant at, Duration cpu) {}

  SandboxFigures(SandboxLifecycle lifecycle, Clock clock) {
    this.lifecycle = lifecycle;
    this.clock = clock;
    lifecycle.whenGone(before::remove);
  }

  /**
   * One sample.
   *
   * @param cpuUsedPct of all its processors, since somebody last asked, or since it runs
   */
  public record Sample(
      Instant at,
      int cpuCount,
      double cpuUsedPct,
      long memUsed,
      long memTotal,
      long diskUsed,
      long diskTotal) {
    long memTotalMib() {
      return memTotal / MIB;
    }

    long memUsedMib() {
      return memUsed / MIB;
    }
  }

  public Sample now(Sandbox sandbox) {
    SandboxMetrics metrics = lifecycle.metrics(sandbox.id().value());
    Instant now = clock.instant();
    Seen last = before.put(sandbox.id(), new Seen(now, metrics.cpu()));
    if (last == null) {
      last = new Seen(runningSince(sandbox), Duration.ZERO);
    }
    return new Sample(
        now,
        cpuCount(sandbox),
        percent(metrics.cpu().minus(last.cpu), Duration.between(last.at, now), cpuCount(sandbox)),
        metrics.memoryBytes(),
        sandbox.spec().resources().memoryMb() * MIB,
        metrics.diskUsedBytes(),
        metrics.diskTotalBytes());
  }

  private static double percent(Duration used, Duration passed, int cpus) {
    double share = 100.0 * used.toNanos() / Math.max(1, passed.toNanos()) / cpus;
    return Math.round(Math.clamp(share, 0, 100) * 100) / 100.0;
  }

  private static Instant runningSince(Sandbox sandbox) {
    return sandbox.state() instanceof SandboxState.Running running
        ? running.since()
        : sandbox.createdAt();
  }

  /** Whole ones, as E2B has them. */
  public static int cpuCount(Sandbox sandbox) {
    return Math.max(1, (sandbox.spec().resources().milliCpus() + 999) / 1_000);
  }
}
