package dev.cove.control.service;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.log.LogLine.Piece;
import dev.cove.control.log.SandboxLogs;
import dev.cove.control.service.ServiceLedger.Row;
import dev.cove.control.service.ServiceLedger.Stage;
import dev.cove.control.service.ServiceStatus.Phase;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.node.Node;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The services of all sandboxes. Safe for use by many threads.
 *
 * <p>Whoever changes what a sandbox does or has holds the lock of its entry; only the rule of a
 * service that ended is followed without.
 */
public final class Services implements AutoCloseable {
  /** From SIGTERM to SIGKILL. */
  static final Duration GRACE = Duration.ofSeconds(10);

  private final ServiceLedger rows;
  private final Node node;
  private final SandboxLogs logs;
  private final ServiceLimits limits;
  private final Clock clock;
  private final Map<SandboxId, Crew> crews = new ConcurrentHashMap<>();
  private final Map<SandboxId, List<Row>> resting = new ConcurrentHashMap<>();
  private final Timetable timetable = new Timetable();
  private volatile Boxes boxes = Boxes.NONE;

  /** What services need to know of sandboxes. */
  public interface Boxes {
    Boxes NONE =
        new Boxes() {
          @Override
          public Optional<SandboxSpec> standing(SandboxId id) {
            return Optional.empty();
          }

          @Override
          public boolean runs(SandboxId id) {
            return false;
          }
        };

    /** What a sandbox is to be, if its processes are there; also when they stand still. */
    Optional<SandboxSpec> standing(SandboxId id);

    /** Whether its agent can be asked without waking it. */
    boolean runs(SandboxId id);
  }

  public Services(Ledger ledger, Node node, SandboxLogs logs, ServiceLimits limits, Clock clock) {
    this.rows = new ServiceLedger(ledger);
    this.node = node;
    this.logs = logs;
    this.limits = limits;
    this.clock = clock;
  }

  ServiceLedger rows() {
    return rows;
  }

  Node node() {
    return node;
  }

  ServiceLimits limits() {
    return limits;
  }

  Clock clock() {
    return clock;
  }

  Boxes boxes() {
    return boxes;
  }

  public SandboxLogs logs() {
    return logs;
  }

  /**
   * Finds the services of an earlier server again, a moment later.
   *
   * @param known every sandbox that there is; of others no log is kept
   * @param paused those whose agents cannot be asked before they go on
   */
  public void recover(
      Boxes all, Set<SandboxId> known, Set<SandboxId> running, Set<SandboxId> paused) {
    boxes = all;
    logs.sweep(known);
    rows.all()
        .forEach((id, services) -> {
          timetable.set(id, services, clock.instant());
          if (running.contains(id)) {
            join(id).adopt(services);
          } else if (paused.contains(id)) {
            resting.put(id, services);
          }
        });
  }

  private Crew join(SandboxId id) {
    var crew = new Crew(id, this, logs.of(id));
    Crew before = crews.put(id, crew);
    if (before != null) {
      before.leave();
    }
    return crew;
  }

  /**
   * Starts the services of a sandbox in order.
   *
   * @param strict whether one that does not come up is reason enough to give up
   * @throws CoveException when it is, and one does not
   */
  public void start(SandboxId id, boolean strict) {
    List<Row> services = rows.of(id);
    timetable.set(id, services, clock.instant());
    if (!services.isEmpty()) {
      join(id).startAll(services, strict);
    }
  }

  /** A sandbox goes on that stood still. Must not wait. */
  public void resumed(SandboxId id) {
    List<Row> services = resting.remove(id);
    if (services != null) {
      join(id).adopt(services);
    }
  }

  /** The processes of a sandbox are about to end. */
  public void ending(SandboxId id) {
    resting.remove(id);
    Crew crew = crews.remove(id);
    if (crew != null) {
      crew.leave();
    }
  }

  /** A sandbox has gone, and what its services said with it. */
  public void gone(SandboxId id) {
    ending(id);
    timetable.forget(id);
    logs.forget(id);
  }

  /** Whether a process is a service, whose output already has its reader. */
  public boolean owns(SandboxId id, long process) {
    Crew crew = crews.get(id);
    return crew != null && crew.members().stream().anyMatch(run -> run.is(process));
  }

  public List<ServiceStatus> list(SandboxId id) {
    return rows.of(id).stream().map(row -> status(id, row)).toList();
  }

  private ServiceStatus status(SandboxId id, Row row) {
    Optional<Crew> crew = Optional.ofNullable(crews.get(id)).filter(Crew::stands);
    return crew.flatMap(there -> there.find(row.service().name()))
        .map(ServiceRun::status)
        .orElseGet(() -> unseen(id, row))
        .due(
            row.stage() == Stage.STOPPED
                ? Optional.empty()
                : timetable.next(id, row.service().name()));
  }

  /** One that nobody sees to: of a sandbox that is stopped, or stood still when the server came. */
  private ServiceStatus unseen(SandboxId id, Row row) {
    Phase phase =
        switch (row.stage()) {
          case RUNNING -> resting.containsKey(id) ? Phase.RUNNING : Phase.STOPPED;
          case WAITING, STARTING ->
              row.service().schedule().isPresent()
                  ? Phase.SCHEDULED
                  : resting.containsKey(id) ? Phase.STARTING : Phase.STOPPED;
          case EXITED -> Phase.EXITED;
          case FAILED -> Phase.FAILED;
          case STOPPED -> Phase.STOPPED;
        };
    return new ServiceStatus(
        row.service(), phase, Optional.empty(), row.code(), 0, Optional.empty(), Optional.empty());
  }

  public ServiceStatus require(SandboxId id, String name) {
    return list(id).stream()
        .filter(status -> status.service().name().equals(name))
        .findFirst()
        .orElseThrow(() -> unknown(name));
  }

  /**
   * Makes the services of a sandbox those of the list. What stays as it was goes on undisturbed.
   *
   * @param stands whether its processes are there and move
   */
  public void replace(SandboxId id, List<Service> wanted, boolean stands) {
    List<Row> before = rows.of(id);
    Instant now = clock.instant();
    List<Row> after = wanted.stream().map(service -> same(before, service, now)).toList();
    rows.replace(id, after);
    timetable.set(id, after, now);
    if (stands) {
      Crew crew = crews.get(id);
      (crew == null ? join(id) : crew).become(after);
    }
  }

  private static Row same(List<Row> before, Service service, Instant now) {
    return before.stream()
        .filter(row -> row.service().runsLike(service))
        .findFirst()
        .orElseGet(() -> Row.fresh(service, now));
  }

  /** Those whose time has come; each is told once. */
  public List<Timetable.Due> due() {
    return timetable.due(clock.instant());
  }

  /** Whether its owner has stopped it, so that its schedule starts it no more. */
  public boolean isStoppedByHand(SandboxId id, String name) {
    return rows.of(id).stream()
        .anyMatch(row -> row.service().name().equals(name) && row.stage() == Stage.STOPPED);
  }

  /** Says something about a service where its owner reads what it says itself. */
  public void say(SandboxId id, String name, String text) {
    logs.of(id).append(List.of(Piece.note(name, text)));
  }

  /** Starts a service of a sandbox that runs, unless it runs already. */
  public void startOne(SandboxId id, String name) {
    requireRun(id, name).start();
  }

  /** Ends a service of a sandbox that runs; it stays so until it is started. */
  public void stopOne(SandboxId id, String name) {
    requireRun(id, name).stop(GRACE);
  }

  public void restartOne(SandboxId id, String name) {
    ServiceRun run = requireRun(id, name);
    run.stop(GRACE);
    run.start();
  }

  private ServiceRun requireRun(SandboxId id, String name) {
    Crew crew = crews.get(id);
    if (crew == null) {
      crew = join(id);
      crew.adopt(rows.of(id));
    }
    return crew.find(name).orElseThrow(() -> unknown(name));
  }

  private static CoveException unknown(String name) {
    return new CoveException(
        ErrorCode.NOT_FOUND, "The sandbox has no service %s.".formatted(printable(name)));
  }

  private static String printable(String name) {
    return name.replaceAll("[^\\x21-\\x7e]", "?").substring(0, Math.min(name.length(), 63));
  }

  /** Lets go of all services and leaves them running. */
  @Override
  public void close() {
    crews.values().forEach(Crew::leave);
  }
}
