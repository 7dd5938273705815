package dev.cove.control.usage;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Session;
import dev.cove.model.CoveException;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.model.meter.BootClock;
import dev.cove.node.Reading;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what sandboxes use. Whoever writes a sandbox's row says so here, in the same transaction.
 *
 * <p>Moments are taken inside the transactions, which come one after the other: so no time belongs
 * to two of them.
 */
public final class Meters {
  private static final Logger log = LoggerFactory.getLogger(Meters.class);

  private static final int MAX_OWED = 10_000;

  private final Ledger ledger;
  private final Clock clock;
  private final BootClock bootClock;

  /** Last readings of cages that are gone, which the ledger could not take at the time. */
  private final Map<SandboxId, List<Reading>> owed = new ConcurrentHashMap<>();

  public Meters(Ledger ledger, Clock clock, BootClock bootClock) {
    this.ledger = ledger;
    this.clock = clock;
    this.bootClock = bootClock;
  }

  /** Begins with a sandbox. */
  public void open(Session session, SandboxId id, Owner owner, SandboxState state)
      throws SQLException {
    AccountRows.open(session, id, owner, Account.open(Phase.of(state), bootClock.now()));
    if (owner.budget().isPresent()) {
      BudgetRows.put(session, BudgetHolder.of(id), owner.budget().get(), clock.instant());
    }
  }

  public void label(Session session, SandboxId id, Map<String, String> labels) throws SQLException {
    AccountRows.label(session, id, labels);
  }

  /** From now on a sandbox's time counts as that of another state. */
  public void enter(Session session, SandboxId id, SandboxState next, Optional<Reading> reading)
      throws SQLException {
    step(
        session,
        id,
        account -> {
          Account.Step counted =
              reading
                  .map(known -> account.take(bootClock.now(), known))
                  .orElseGet(() -> account.pass(bootClock.now()));
          return new Account.Step(counted.after().in(Phase.of(next)), counted.added());
        });
  }

  /** The same for what was found to be so: it has been since nobody looked any more. */
  public void enterFound(Session session, SandboxId id, SandboxState next) throws SQLException {
    step(session, id, account -> account.in(Phase.of(next)).pass(bootClock.now()));
  }

  /** Counts what a reading says. Nothing where the sandbox is gone. */
  public void take(Session session, SandboxId id, Reading reading) throws SQLException {
    step(session, id, account -> account.take(bootClock.now(), reading));
  }

  /** Counts the time of one that rests. */
  public void pass(Session session, SandboxId id) throws SQLException {
    step(session, id, account -> account.pass(bootClock.now()));
  }

  /** Ends with a sandbox, whose usage stays. */
  public void close(Session session, SandboxId id) throws SQLException {
    pass(session, id);
  }

  /** Drops all that is known of a sandbox that never came to be. */
  public void forget(Session session, SandboxId id) throws SQLException {
    owed.remove(id);
    AccountRows.forget(session, id);
  }

  /**
   * Counts the last that a cage has used, before what counted it goes. When the ledger cannot be
   * written just now, it is kept until it can.
   */
  public void ended(SandboxId id, Reading last) {
    try {
      ledger.writeAhead(session -> {
        step(session, id, account -> account.count(last));
        return true;
      });
    } catch (CoveException e) {
      log.warn("sandbox {}: what it used last is not written down yet", id, e);
      owe(id, last);
    }
  }

  private void owe(SandboxId id, Reading last) {
    if (owed.size() >= MAX_OWED && !owed.containsKey(id)) {
      log.error("sandbox {}: what it used last is lost; too much waits for the ledger", id);
      return;
    }
    owed.merge(
        id,
        List.of(last),
        (before, more) -> {
          var all = new ArrayList<>(before);
          all.addAll(more);
          return List.copyOf(all);
        });
  }

  /** Writes down what could not be at the time. To be called now and then. */
  public void settleDebts() {
    owed.forEach((id, readings) -> {
      ledger.writeAhead(session -> {
        step(session, id, account -> new Account.Step(account, Amounts.NOTHING));
        return true;
      });
      owed.remove(id, readings);
    });
  }

  private void step(Session session, SandboxId id, Arithmetic arithmetic) throws SQLException {
    Optional<Account> found = AccountRows.find(session, id);
    if (found.isEmpty()) {
      return; // a cage that was nobody's, or a sandbox that has gone meanwhile
    }
    Account.Step step = withDebts(id, found.get()).then(arithmetic::step);
    AccountRows.put(session, id, step, hourOf(clock.instant()));
  }

  /** Readings may be counted again and again: the second time they add nothing. */
  private Account.Step withDebts(SandboxId id, Account account) {
    Account.Step step = new Account.Step(account, Amounts.NOTHING);
    for (Reading last : owed.getOrDefault(id, List.of())) {
      step = step.then(before -> before.count(last));
    }
    return step;
  }

  /** What the sandboxes of each project have sent and received on that day of UTC so far. */
  public Map<ProjectName, Long> egressOn(LocalDate day) {
    long start = day.atStartOfDay(ZoneOffset.UTC).toEpochSecond();
    return ledger.read(session -> AccountRows.egressSince(session, start));
  }

  static long hourOf(Instant time) {
    return Math.floorDiv(time.getEpochSecond(), AccountRows.HOUR) * AccountRows.HOUR;
  }

  /** One step of an account. */
  @FunctionalInterface
  private interface Arithmetic {
    Account.Step step(Account before);
  }
}
