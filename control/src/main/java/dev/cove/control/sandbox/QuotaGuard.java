package dev.cove.control.sandbox;

import dev.cove.control.project.Quota;
import dev.cove.control.project.QuotaExceededException;
import dev.cove.control.volume.Volumes;
import dev.cove.model.ProjectName;
import dev.cove.model.Resources;
import dev.cove.model.SandboxSpec;
import dev.cove.model.SandboxState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Keeps projects within their quotas, however many ask at once.
 *
 * <p>What is in use is added up anew each time from what the ledger says (by way of the index), and
 * from what is just being made; so nothing can drift, and nothing is left over after a crash. Only
 * the creates of the last minute are remembered here: a new server begins with none.
 */
final class QuotaGuard {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** When somebody may have freed something. */
  private static final Duration SOON = Duration.ofSeconds(5);

  private final SandboxIndex index;
  private final Volumes volumes;
  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Hold> holds = new HashSet<>();
  private final Map<ProjectName, Deque<Instant>> made = new HashMap<>();
  private volatile Function<ProjectName, Map<Quota, Long>> quotas = _ -> Map.of();

  QuotaGuard(SandboxIndex index, Volumes volumes, Clock clock) {
    this.index = index;
    this.volumes = volumes;
    this.clock = clock;
  }

  void by(Function<ProjectName, Map<Quota, Long>> limits) {
    quotas = limits;
  }

  /** A share of a quota for something that is being made. */
  final class Hold implements AutoCloseable {
    private final ProjectName project;
    private final Map<Quota, Long> amounts;

    private Hold(ProjectName project, Map<Quota, Long> amounts) {
      this.project = project;
      this.amounts = amounts;
    }

    /** It is there from now on, and counts as such. */
    <T> T become(Supplier<T> show) {
      lock.lock();
      try {
        holds.remove(this);
        if (quotas.apply(project).containsKey(Quota.CREATES_PER_MINUTE)) {
          made.computeIfAbsent(project, _ -> new ArrayDeque<>()).add(clock.instant());
        }
        return show.get();
      } finally {
        lock.unlock();
      }
    }

    /** It is not made, or has become. */
    @Override
    public void close() {
      lock.lock();
      try {
        holds.remove(this);
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * For a sandbox that is about to be made.
   *
   * @throws QuotaExceededException there is not enough left
   */
  Hold hold(SandboxSpec spec) {
    Resources resources = spec.resources();
    Map<Quota, Long> amounts = standing(resources);
    amounts.put(Quota.SANDBOXES, 1L);
    amounts.put(Quota.DISK_MB, (long) resources.diskMb());
    amounts.put(Quota.CREATES_PER_MINUTE, 1L);
    return hold(spec.project(), amounts);
  }

  /** The same for a volume. */
  Hold holdDisk(ProjectName project, int sizeMb) {
    return hold(project, Map.of(Quota.DISK_MB, (long) sizeMb));
  }

  private Hold hold(ProjectName project, Map<Quota, Long> amounts) {
    lock.lock();
    try {
      require(project, amounts);
      var hold = new Hold(project, Map.copyOf(amounts));
      holds.add(hold);
      return hold;
    } finally {
      lock.unlock();
    }
  }

  /** Lets a stopped sandbox start, and shows it so before anybody else is counted. */
  void start(SandboxSpec spec, Runnable show) {
    lock.lock();
    try {
      require(spec.project(), standing(spec.resources()));
      show.run();
    } finally {
      lock.unlock();
    }
  }

  private static Map<Quota, Long> standing(Resources resources) {
    var amounts = new EnumMap<Quota, Long>(Quota.class);
    amounts.put(Quota.MILLI_CPUS, (long) resources.milliCpus());
    amounts.put(Quota.MEMORY_MB, (long) resources.memoryMb());
    return amounts;
  }

  private void require(ProjectName project, Map<Quota, Long> wanted) {
    Map<Quota, Long> limits = quotas.apply(project);
    if (limits.isEmpty()) {
      return;
    }
    Map<Quota, Long> used = usedBy(project);
    wanted.forEach((quota, amount) -> {
      Long limit = limits.get(quota);
      long now = used.getOrDefault(quota, 0L);
      if (limit != null && now + amount > limit) {
        throw new QuotaExceededException(project, quota, limit, now, amount, wait(project, quota));
      }
    });
  }

  private Duration wait(ProjectName project, Quota quota) {
    Deque<Instant> times = made.get(project);
    if (quota != Quota.CREATES_PER_MINUTE || times == null || times.isEmpty()) {
      return SOON;
    }
    Duration left = Duration.between(clock.instant(), times.getFirst().plus(MINUTE));
    return left.plusSeconds(1);
  }

  Map<Quota, Long> used(ProjectName project) {
    lock.lock();
    try {
      return usedBy(project);
    } finally {
      lock.unlock();
    }
  }

  private Map<Quota, Long> usedBy(ProjectName project) {
    var used = new EnumMap<Quota, Long>(Quota.class);
    for (Quota quota : Quota.values()) {
      used.put(quota, 0L);
    }
    index.forEach(sandbox -> {
      if (sandbox.spec().project().equals(project)) {
        add(used, sandbox);
      }
    });
    used.merge(Quota.DISK_MB, volumes.sizeMb(project), Long::sum);
    used.put(Quota.CREATES_PER_MINUTE, madeLately(project));
    for (Hold hold : holds) {
      if (hold.project.equals(project)) {
        hold.amounts.forEach((quota, amount) -> used.merge(quota, amount, Long::sum));
      }
    }
    return used;
  }

  private static void add(Map<Quota, Long> used, Sandbox sandbox) {
    if (sandbox.state() instanceof SandboxState.Deleted) {
      return;
    }
    Resources resources = sandbox.spec().resources();
    used.merge(Quota.SANDBOXES, 1L, Long::sum);
    used.merge(Quota.DISK_MB, (long) resources.diskMb(), Long::sum);
    boolean rests =
        sandbox.state() instanceof SandboxState.Stopped
            || sandbox.state() instanceof SandboxState.Failed
            || sandbox.state() instanceof SandboxState.Discarded;
    if (!rests) {
      standing(resources).forEach((quota, amount) -> used.merge(quota, amount, Long::sum));
    }
  }

  private long madeLately(ProjectName project) {
    Deque<Instant> times = made.get(project);
    if (times == null) {
      return 0;
    }
    Instant oldest = clock.instant().minus(MINUTE);
    while (!times.isEmpty() && times.getFirst().isBefore(oldest)) {
      times.removeFirst();
    }
    if (times.isEmpty()) {
      made.remove(project);
    }
    return times.size();
  }
}
