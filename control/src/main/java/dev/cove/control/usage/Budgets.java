package dev.cove.control.usage;

import dev.cove.control.event.Events;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Session;
import dev.cove.control.usage.Spending.Level;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What may be used, and whether it has been. Safe for use by many threads.
 *
 * <p>What is spent grows in the ledger with the usage itself; here is what it was when somebody
 * last looked, which is after each round of readings.
 */
public final class Budgets {
  private static final Logger log = LoggerFactory.getLogger(Budgets.class);

  private final Ledger ledger;
  private final Clock clock;
  private final Optional<Prices> prices;
  private final Map<BudgetHolder, Spending> known = new ConcurrentHashMap<>();

  public Budgets(Ledger ledger, Clock clock, Optional<Prices> prices) {
    this.ledger = ledger;
    this.clock = clock;
    this.prices = prices;
    look();
  }

  /** As of the last look. */
  private Optional<Spending> find(BudgetHolder holder) {
    return Optional.ofNullable(known.get(holder));
  }

  /** What has been taken of a budget, up to the last readings. */
  public Optional<Spending> now(BudgetHolder holder) {
    look();
    return find(holder);
  }

  /** Sets a budget in place of the one before. What was used in this period so far counts. */
  public Spending set(BudgetHolder holder, Budget budget) {
    requirePossible(budget);
    ledger.write(session -> {
      BudgetRows.put(session, holder, budget, clock.instant());
      return true;
    });
    return now(holder)
        .orElseThrow(() -> new CoveException(ErrorCode.NOT_FOUND, "There is no such sandbox."));
  }

  /**
   * @throws CoveException UNSUPPORTED when this server cannot tell what is spent of it
   */
  public void requirePossible(Budget budget) {
    if (budget.cost().isPresent() && prices.isEmpty()) {
      throw new CoveException(
          ErrorCode.UNSUPPORTED,
          "This server has no prices, so a budget cannot be a cost; its operator sets"
              + " COVE_PRICES.");
    }
  }

  /**
   * @return whether there was one
   */
  public boolean remove(BudgetHolder holder) {
    int removed = ledger.write(session -> BudgetRows.remove(session, holder));
    known.remove(holder);
    return removed > 0;
  }

  /**
   * Refuses to let a sandbox run for which nothing is left.
   *
   * @throws CoveException BUDGET_EXHAUSTED
   */
  public void requireLeft(SandboxId id, String project) {
    requireLeft(BudgetHolder.of(id));
    requireLeft(BudgetHolder.ofProject(project));
  }

  /** The same for all of a project. */
  public void requireLeft(BudgetHolder holder) {
    exhausted(holder)
        .ifPresent(spending -> {
          throw new CoveException(ErrorCode.BUDGET_EXHAUSTED, explain(spending));
        });
  }

  public boolean hasLeft(SandboxId id, String project) {
    return exhausted(BudgetHolder.of(id)).isEmpty()
        && exhausted(BudgetHolder.ofProject(project)).isEmpty();
  }

  /** A period that is over has not been cleared by a round yet, and is over all the same. */
  private Optional<Spending> exhausted(BudgetHolder holder) {
    return find(holder)
        .filter(
            spending -> spending.level() == Level.EXHAUSTED && !spending.isOver(clock.instant()));
  }

  private static String explain(Spending spending) {
    Spending.Share most = spending.mostSpent();
    return "The budget of %s is used up: %s of %s %s (%s). Raise it with cove budget set%s."
        .formatted(
            spending.holder(),
            most.spent().toPlainString(),
            most.limit().toPlainString(),
            most.measure(),
            spending.budget().period().publicName(),
            spending.ends().map(end -> ", or wait until " + end).orElse(""));
  }

  /** Begins new periods, sees what was spent, and tells owners what they have not been told. */
  public void look() {
    Instant now = clock.instant();
    if (known.values().stream().anyMatch(spending -> spending.isOver(now))) {
      ledger.writeAhead(session -> {
        for (Budget.Period period : List.of(Budget.Period.DAY, Budget.Period.MONTH)) {
          BudgetRows.turn(session, period, now);
        }
        return true;
      });
    }
    List<BudgetRows.Told> rows = ledger.read(session -> BudgetRows.all(session, prices));
    for (BudgetRows.Told row : rows) {
      known.put(row.spending().holder(), row.spending());
      if (row.spending().level().compareTo(row.told()) > 0) {
        tell(row.spending());
      }
    }
    known
        .keySet()
        .retainAll(rows.stream().map(row -> row.spending().holder()).collect(Collectors.toSet()));
  }

  private void tell(Spending spending) {
    Level level = spending.level();
    log.info("{}: budget {}", spending.holder(), level.publicName());
    ledger.writeAhead(session -> {
      if (BudgetRows.tell(session, spending.holder(), level)) {
        write(session, spending, level);
      }
      return true;
    });
  }

  private static void write(Session session, Spending spending, Level level) throws SQLException {
    Spending.Share most = spending.mostSpent();
    BudgetHolder holder = spending.holder();
    // Ids, names of projects, words and numbers: nothing in it needs escaping.
    String data =
        "{\"%s\":\"%s\",\"period\":\"%s\",\"measure\":\"%s\",\"spent\":\"%s\",\"limit\":\"%s\"}"
            .formatted(
                holder.kind().publicName(),
                holder.name(),
                spending.budget().period().publicName(),
                most.measure(),
                most.spent().toPlainString(),
                most.limit().toPlainString());
    String type = "budget." + level.publicName();
    switch (holder.kind()) {
      case SANDBOX -> Events.write(session, type, Optional.of(new SandboxId(holder.name())), data);
      case PROJECT -> Events.write(session, type, new ProjectName(holder.name()), data);
    }
  }
}
