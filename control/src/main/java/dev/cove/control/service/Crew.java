package dev.cove.control.service;

import dev.cove.control.log.SandboxLog;
import dev.cove.control.service.ServiceLedger.Row;
import dev.cove.control.service.ServiceLedger.Stage;
import dev.cove.guest.Guest;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The services of one sandbox from one of its starts to its next stop. */
final class Crew {
  private static final Logger log = LoggerFactory.getLogger(Crew.class);

  private final SandboxId id;
  private final Services services;
  private final SandboxLog lines;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, ServiceRun> runs = new LinkedHashMap<>(); // guarded by lock
  private volatile boolean left;

  Crew(SandboxId id, Services services, SandboxLog lines) {
    this.id = id;
    this.services = services;
    this.lines = lines;
  }

  SandboxId id() {
    return id;
  }

  SandboxLog log() {
    return lines;
  }

  ServiceLedger rows() {
    return services.rows();
  }

  ServiceLimits limits() {
    return services.limits();
  }

  Clock clock() {
    return services.clock();
  }

  Guest guest() {
    return services.node().guest(id);
  }

  ServiceStart start(Service service) {
    SandboxSpec spec = services.boxes().standing(id).orElseThrow(this::notThere);
    var environment = services.node().secrets().environment(id, spec);
    return new ServiceStart(guest(), spec, environment, service);
  }

  private CoveException notThere() {
    return new CoveException(ErrorCode.CONFLICT, "Sandbox %s is not running.".formatted(id));
  }

  /** Whether its processes are there, running or standing still, and still ours to see to. */
  boolean stands() {
    return !left && services.boxes().standing(id).isPresent();
  }

  boolean runs() {
    return !left && services.boxes().runs(id);
  }

  /** Nothing is started any more; what is still said is still kept. */
  void leave() {
    left = true;
    lock.lock();
    try {
      runs.values().forEach(ServiceRun::wakeUp);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Starts all but those that were stopped by hand or have a schedule, each when the one before it
   * is ready.
   *
   * @param strict whether one that does not come up is reason enough to give up
   */
  void startAll(List<Row> rows, boolean strict) {
    for (Row row : rows) {
      ServiceRun run = add(row);
      if (row.stage() == Stage.STOPPED || row.service().schedule().isPresent()) {
        continue;
      }
      try {
        run.start();
        run.awaitReady();
      } catch (CoveException e) {
        if (strict) {
          throw e;
        }
        log.warn("sandbox {}: {}", id, e.getMessage());
      }
    }
  }

  void adopt(List<Row> rows) {
    for (Row row : rows) {
      add(row).adopt(row);
    }
  }

  private ServiceRun add(Row row) {
    var run = new ServiceRun(this, row);
    lock.lock();
    try {
      runs.put(row.service().name(), run);
    } finally {
      lock.unlock();
    }
    return run;
  }

  List<ServiceRun> members() {
    lock.lock();
    try {
      return new ArrayList<>(runs.values());
    } finally {
      lock.unlock();
    }
  }

  Optional<ServiceRun> find(String name) {
    lock.lock();
    try {
      return Optional.ofNullable(runs.get(name));
    } finally {
      lock.unlock();
    }
  }

  /** Makes its members those of the list: what is not in it any more ends, what is new starts. */
  void become(List<Row> rows) {
    Map<String, ServiceRun> before = new LinkedHashMap<>();
    members().forEach(run -> before.put(run.service().name(), run));
    before.values().stream()
        .filter(run -> rows.stream().noneMatch(row -> row.service().equals(run.service())))
        .forEach(run -> run.stop(Services.GRACE));
    var fresh = new ArrayList<ServiceRun>();
    lock.lock();
    try {
      runs.clear();
      for (Row row : rows) {
        ServiceRun known = before.get(row.service().name());
        boolean same = known != null && known.service().equals(row.service());
        ServiceRun run = same ? known : new ServiceRun(this, row);
        runs.put(row.service().name(), run);
        if (!same && row.service().schedule().isEmpty()) {
          fresh.add(run);
        }
      }
    } finally {
      lock.unlock();
    }
    fresh.forEach(ServiceRun::start);
  }
}
