package dev.cove.control.service;

import dev.cove.control.ledger.Micros;
import dev.cove.control.log.LogLine.Piece;
import dev.cove.control.service.ServiceLedger.Row;
import dev.cove.control.service.ServiceLedger.Stage;
import dev.cove.control.service.ServiceStatus.Phase;
import dev.cove.guest.Command;
import dev.cove.guest.CommandExit;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestLinkException;
import dev.cove.guest.ProcessInfo;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.observe.Tally;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One service for as long as its sandbox stands: who starts it, and one thread that follows its
 * process, keeps what it says, and starts it again by its rule.
 */
final class ServiceRun {
  private static final Logger log = LoggerFactory.getLogger(ServiceRun.class);

  /** What is said of a process that ended while nobody looked. */
  private static final int UNKNOWN_CODE = 255;

  private static final int TERM = 15;
  private static final int KILL = 9;
  private static final Duration AFTER_KILL = Duration.ofSeconds(5);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final Duration FIRST_TRY = Duration.ofMillis(50);

  private final Crew crew;
  private final Service service;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock.
  private Phase phase;
  private boolean wanted;
  private boolean followed;
  private long process;
  private Optional<Integer> pid = Optional.empty();
  private Optional<Integer> code;
  private Optional<Instant> since = Optional.empty();
  private int restarts;
  private int failures;
  private long startedAt;

  ServiceRun(Crew crew, Row row) {
    this.crew = crew;
    this.service = row.service();
    this.code = row.code();
    this.phase =
        switch (row.stage()) {
          case WAITING -> service.schedule().isPresent() ? Phase.SCHEDULED : Phase.STARTING;
          case STARTING, RUNNING -> Phase.STARTING;
          case EXITED -> Phase.EXITED;
          case FAILED -> Phase.FAILED;
          case STOPPED -> Phase.STOPPED;
        };
  }

  Service service() {
    return service;
  }

  ServiceStatus status() {
    lock.lock();
    try {
      return new ServiceStatus(service, phase, pid, code, restarts, since, Optional.empty());
    } finally {
      lock.unlock();
    }
  }

  boolean is(long processId) {
    lock.lock();
    try {
      return pid.isPresent() && process == processId;
    } finally {
      lock.unlock();
    }
  }

  /** Starts it unless it runs or is about to. */
  void start() {
    lock.lock();
    try {
      if (followed) {
        return;
      }
      wanted = true;
      followed = true;
      restarts = 0;
      failures = 0;
    } finally {
      lock.unlock();
    }
    boolean started = false;
    try {
      follow(launch(), false);
      started = true;
    } finally {
      if (!started) {
        couldNotStart();
      }
    }
  }

  private void couldNotStart() {
    lock.lock();
    try {
      followed = false;
      enter(Phase.FAILED);
    } finally {
      lock.unlock();
    }
    note(Stage.FAILED, 0);
  }

  void awaitReady() {
    crew.start(service).awaitReady(this::hasEnded);
  }

  private boolean hasEnded() {
    lock.lock();
    try {
      return !phase.lives();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The row says first that a process is about to be, and above which number; so that whoever comes
   * after a crash can tell whether it came to be, and starts no second one.
   */
  private Command launch() {
    Guest guest = crew.guest();
    long before = guest.processes().stream().mapToLong(ProcessInfo::processId).max().orElse(0);
    var announced = new Row(service, Stage.STARTING, before, code(), crew.clock().instant());
    crew.rows().announce(crew.id(), announced);
    FailPoint.SERVICE_ANNOUNCED.reached();
    Command command = launchOrFind(announced);
    FailPoint.SERVICE_STARTED.reached();
    runs(command);
    say("started with pid " + command.pid());
    return command;
  }

  /** When the link breaks in the midst of it, nobody has told whether there is a process now. */
  private Command launchOrFind(Row announced) {
    try {
      return crew.start(service).launch();
    } catch (GuestLinkException e) {
      return findPatiently(announced).orElseThrow(() -> e);
    }
  }

  private Optional<Integer> code() {
    lock.lock();
    try {
      return code;
    } finally {
      lock.unlock();
    }
  }

  private void runs(Command command) {
    lock.lock();
    try {
      process = command.processId();
      pid = Optional.of(command.pid());
      startedAt = System.nanoTime();
      enter(Phase.RUNNING);
    } finally {
      lock.unlock();
    }
    note(Stage.RUNNING, command.processId());
  }

  /** Finds the process of an earlier server again, or does what its rule says where it ended. */
  void adopt(Row row) {
    lock.lock();
    try {
      if (followed || !phase.lives()) {
        return;
      }
      wanted = true;
      followed = true;
    } finally {
      lock.unlock();
    }
    Thread.ofVirtual()
        .name("service-" + crew.id() + "-" + service.name())
        .start(() -> adoptNow(row));
  }

  private void adoptNow(Row row) {
    try {
      Optional<Command> found = findPatiently(row);
      if (found.isPresent()) {
        runs(found.get());
        live(found.get(), true);
      } else if (row.stage() == Stage.RUNNING) {
        afterEnd(UNKNOWN_CODE).ifPresent(command -> live(command, false));
      } else if (crew.stands()) {
        live(launch(), false);
      }
    } catch (CoveException e) {
      log.warn("sandbox {}: service {}: {}", crew.id(), service.name(), e.getMessage());
      couldNotStart();
    } finally {
      unfollowed();
    }
  }

  /** A link that is just broken says nothing about the process. */
  private Optional<Command> findPatiently(Row row) {
    Duration wait = FIRST_TRY;
    while (crew.stands()) {
      try {
        return find(row);
      } catch (GuestException _) {
        return Optional.empty(); // forgotten since we looked
      } catch (CoveException e) {
        if (!waited(wait)) {
          throw e;
        }
        wait = longer(wait);
      }
    }
    return Optional.empty();
  }

  private static Duration longer(Duration wait) {
    return wait.compareTo(LOOK) < 0 ? wait.multipliedBy(2) : LOOK;
  }

  private Optional<Command> find(Row row) {
    if (row.stage() == Stage.WAITING) {
      return Optional.empty();
    }
    Guest guest = crew.guest();
    return guest.processes().stream()
        .filter(info ->
            row.stage() == Stage.RUNNING
                ? info.processId() == row.process()
                : info.processId() > row.process())
        .filter(this::looksLikeIt)
        .min(Comparator.comparingLong(ProcessInfo::processId))
        .map(info -> guest.attach(info.processId()));
  }

  /** The agent tells the beginning of long arguments only. */
  private boolean looksLikeIt(ProcessInfo info) {
    List<String> told = info.argv();
    List<String> own = service.command();
    if (told.size() > own.size() || told.isEmpty()) {
      return false;
    }
    int last = told.size() - 1;
    return told.subList(0, last).equals(own.subList(0, last))
        && own.get(last).startsWith(told.get(last));
  }

  private void follow(Command command, boolean known) {
    Thread.ofVirtual()
        .name("service-" + crew.id() + "-" + service.name())
        .start(() -> {
          try {
            live(command, known);
          } finally {
            unfollowed();
          }
        });
  }

  private void unfollowed() {
    lock.lock();
    try {
      followed = false;
      pid = Optional.empty();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Until it has ended for good, or nobody can tell any more. */
  private void live(Command first, boolean known) {
    Optional<Command> command = Optional.of(first);
    boolean again = known;
    while (command.isPresent()) {
      Optional<Integer> ended = keepUntilEnd(command.get(), again);
      if (ended.isEmpty()) {
        return;
      }
      forget();
      command = afterEnd(ended.get());
      again = false;
    }
  }

  /** The code that it ended with; empty when its sandbox does not stand any more. */
  private Optional<Integer> keepUntilEnd(Command first, boolean knownBefore) {
    Command command = first;
    boolean known = knownBefore;
    while (true) {
      try (Command now = command) {
        new ServiceOutput(crew.log(), service.name(), now).keep(known);
        CommandExit exit = now.exit().join();
        return Optional.of(exit.code());
      } catch (IOException | CompletionException | CoveException _) {
        known = true; // the link broke; the process did not
      }
      try {
        Optional<Command> again = attachAgain();
        if (again.isEmpty()) {
          return Optional.empty();
        }
        command = again.get();
      } catch (GuestException e) {
        return Optional.of(UNKNOWN_CODE); // its agent has forgotten it
      }
    }
  }

  private Optional<Command> attachAgain() {
    Duration wait = FIRST_TRY;
    while (crew.stands()) {
      try {
        return Optional.of(crew.guest().attach(numberOfProcess()));
      } catch (GuestException e) {
        if (e.code() == ErrorCode.NOT_FOUND) {
          throw e;
        }
      } catch (CoveException _) {
        // The link is being made anew, or the sandbox is about to be found lost.
      }
      if (!waited(wait)) {
        return Optional.empty();
      }
      wait = longer(wait);
    }
    return Optional.empty();
  }

  private long numberOfProcess() {
    lock.lock();
    try {
      return process;
    } finally {
      lock.unlock();
    }
  }

  /** What its agent keeps of it is in the log. */
  private void forget() {
    try {
      if (crew.runs()) {
        crew.guest().forget(numberOfProcess());
      }
    } catch (CoveException _) {
      // It keeps the newest 64 anyway.
    }
  }

  /** Does what the rule says: a new process, after a wait, or none. */
  private Optional<Command> afterEnd(int exitCode) {
    int ended = exitCode;
    while (true) {
      Optional<Duration> wait = decide(ended);
      if (wait.isEmpty() || !waitedAndRuns(wait.get())) {
        return Optional.empty();
      }
      try {
        return Optional.of(launch());
      } catch (CoveException e) {
        if (!crew.stands()) {
          return Optional.empty();
        }
        say("could not be started: " + e.getMessage());
        ended = UNKNOWN_CODE;
      }
    }
  }

  /** How long to wait before it is started again; empty for never. */
  private Optional<Duration> decide(int ended) {
    Stage stage;
    Optional<Duration> wait = Optional.empty();
    lock.lock();
    try {
      if (!crew.stands()) {
        return Optional.empty();
      }
      code = Optional.of(ended);
      pid = Optional.empty();
      if (!wanted) {
        stage = Stage.STOPPED;
        enter(Phase.STOPPED);
      } else if (!service.restart().appliesTo(ended)) {
        stage = Stage.EXITED;
        enter(Phase.EXITED);
      } else {
        if (System.nanoTime() - startedAt >= crew.limits().steady().toNanos()) {
          failures = 0;
        }
        if (failures >= crew.limits().attempts()) {
          stage = Stage.FAILED;
          enter(Phase.FAILED);
        } else {
          stage = Stage.WAITING;
          wait = Optional.of(crew.limits().waitAfter(failures));
          failures++;
          restarts++;
          enter(Phase.RESTARTING);
        }
      }
    } finally {
      lock.unlock();
    }
    note(stage, 0);
    String next = wait.map(time -> "; starts again in %d ms".formatted(time.toMillis())).orElse("");
    say("ended with code " + ended + next + (stage == Stage.FAILED ? "; given up" : ""));
    if (wait.isPresent()) {
      Tally.SERVICE_RESTARTS.increment();
    } else if (stage == Stage.FAILED) {
      Tally.SERVICES_FAILED.increment();
    }
    return wait;
  }

  /** A sandbox that rests is not woken for it. */
  private boolean waitedAndRuns(Duration time) {
    boolean goOn = waited(time);
    while (goOn && !crew.runs()) {
      goOn = crew.stands() && waited(LOOK);
    }
    return goOn;
  }

  /** False when it is not wanted any more, or its crew has left. */
  private boolean waited(Duration time) {
    lock.lock();
    try {
      long left = time.toNanos();
      while (left > 0 && wanted && crew.stands()) {
        left =
            changed.awaitNanos(Math.min(left, LOOK.toNanos())) + Math.max(0, left - LOOK.toNanos());
      }
      return wanted && crew.stands();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Ends it, in order if it can, and keeps it so. */
  void stop(Duration grace) {
    note(Stage.STOPPED, 0);
    lock.lock();
    try {
      wanted = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (isFollowed()) {
      signal(TERM);
      if (!awaitUnfollowed(grace)) {
        signal(KILL);
        awaitUnfollowed(AFTER_KILL);
      }
    }
    lock.lock();
    try {
      enter(Phase.STOPPED);
    } finally {
      lock.unlock();
    }
  }

  private void signal(int signal) {
    try {
      crew.guest().signal(numberOfProcess(), signal, true);
    } catch (GuestException _) {
      // It has just ended.
    }
  }

  private boolean isFollowed() {
    lock.lock();
    try {
      return followed;
    } finally {
      lock.unlock();
    }
  }

  private boolean awaitUnfollowed(Duration patience) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (followed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !followed;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    } finally {
      lock.unlock();
    }
  }

  /** Its crew leaves: nothing more is started. */
  void wakeUp() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void enter(Phase next) {
    phase = next;
    since = Optional.of(Micros.now(crew.clock()));
    if (next != Phase.RUNNING) {
      pid = Optional.empty();
    }
    changed.signalAll();
  }

  /** What the ledger misses here it finds out after a restart. */
  private void note(Stage stage, long number) {
    try {
      crew.rows().note(crew.id(), service.name(), stage, number, code());
    } catch (CoveException e) {
      if (stage == Stage.STOPPED) {
        throw e;
      }
      log.warn("sandbox {}: service {}: {}", crew.id(), service.name(), e.getMessage());
    }
  }

  private void say(String text) {
    crew.log().append(List.of(Piece.note(service.name(), text)));
  }
}
