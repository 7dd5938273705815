package dev.cove.edge.e2b;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.model.CoveException;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.node.SandboxMetrics;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What sandboxes use, as E2B counts it: a sample whenever it is read, and one of now. */
public final class SandboxFigures {
  /** Half an hour, as often as use is usually read. */
  private static final int MOST_SAMPLES = 180;

  private static final long MIB = 1024 * 1024;
  private static final Logger log = LoggerFactory.getLogger(SandboxFigures.class);

  private final SandboxLifecycle lifecycle;
  private final Clock clock;
  private final Map<SandboxId, Series> kept = new ConcurrentHashMap<>();

  /** The newest samples of one sandbox, the oldest first. */
  private static final class Series {
    private final Deque<Sample> samples = new ArrayDeque<>();

    synchronized void add(Sample sample) {
      if (samples.size() == MOST_SAMPLES) {
        samples.removeFirst();
      }
      samples.addLast(sample);
    }

    synchronized Optional<Sample> last() {
      return Optional.ofNullable(samples.peekLast());
    }

    synchronized List<Sample> all() {
      return List.copyOf(samples);
    }
  }

  SandboxFigures(SandboxLifecycle lifecycle, Clock clock) {
    this.lifecycle = lifecycle;
    this.clock = clock;
    lifecycle.whenRead(this::keep);
    lifecycle.whenGone(kept::remove);
  }

  /**
   * One sample.
   *
   * @param cpu time on processors since it was made
   * @param cpuUsedPct of all its processors, since the sample before, or since it runs
   */
  public record Sample(
      Instant at,
      Duration cpu,
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

  /** Only of those that this dialect made: nobody else asks for them here. */
  private void keep(Sandbox sandbox) {
    if (!Timeouts.isOurs(sandbox) || !(sandbox.state() instanceof SandboxState.Running)) {
      return;
    }
    try {
      Sample sample = now(sandbox);
      kept.computeIfAbsent(sandbox.id(), _ -> new Series()).add(sample);
      if (lifecycle.find(sandbox.id()).isEmpty()) {
        kept.remove(sandbox.id()); // it went meanwhile
      }
    } catch (CoveException e) {
      log.debug("sandbox {}: what it uses could not be read", sandbox.id(), e);
    }
  }

  /** What was kept of a sandbox, the oldest first. */
  public List<Sample> before(SandboxId sandbox) {
    Series series = kept.get(sandbox);
    return series == null ? List.of() : series.all();
  }

  public Sample now(Sandbox sandbox) {
    SandboxMetrics metrics = lifecycle.metrics(sandbox.id().value());
    Instant now = clock.instant();
    Series series = kept.get(sandbox.id());
    // What was counted begins anew with each start.
    Optional<Sample> last =
        (series == null ? Optional.<Sample>empty() : series.last())
            .filter(one -> one.cpu().compareTo(metrics.cpu()) <= 0);
    return new Sample(
        now,
        metrics.cpu(),
        cpuCount(sandbox),
        percent(
            metrics.cpu().minus(last.map(Sample::cpu).orElse(Duration.ZERO)),
            Duration.between(last.map(Sample::at).orElseGet(() -> runningSince(sandbox)), now),
            cpuCount(sandbox)),
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

  public static int cpuCount(Sandbox sandbox) {
    return cpuCount(sandbox.spec().resources());
  }

  /** Whole ones, as E2B has them. */
  public static int cpuCount(Resources resources) {
    return Math.max(1, (resources.milliCpus() + 999) / 1_000);
  }
}
