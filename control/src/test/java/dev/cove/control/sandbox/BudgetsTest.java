package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.usage.Budget;
import dev.cove.control.usage.Budget.Period;
import dev.cove.control.usage.BudgetHolder;
import dev.cove.control.usage.Budgets;
import dev.cove.control.usage.Prices;
import dev.cove.control.usage.Retention;
import dev.cove.control.usage.Spending;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.model.meter.BootClock;
import dev.cove.model.meter.Counter;
import dev.cove.model.meter.Moment;
import dev.cove.node.Reading;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What may be used, and what happens when it has been. */
class BudgetsTest {
  private static final Prices PRICES = Prices.parse("currency EUR\ncpu-hour 3600\n");
  private static final Retention RETENTION =
      new Retention(Duration.ofDays(10), Duration.ofDays(100), 1_000);

  private final Moment cage = BootClock.ofHost().now();
  private ControlPlane control;
  private Budgets budgets;
  private Metering metering;
  private SandboxId id;

  @BeforeEach
  void open(@TempDir Path folder) {
    control = new ControlPlane(folder);
    meter();
    id = control.create("box").id();
  }

  private void meter() {
    budgets = new Budgets(control.ledger, control.clock, Optional.of(PRICES));
    metering =
        control.lifecycle.meter(
            control.ledger,
            control.clock,
            new Metering.Settings(Duration.ofMillis(50), budgets, RETENTION));
  }

  @AfterEach
  void close() {
    metering.close();
    control.close();
  }

  private static Budget ofCpu(Period period, long seconds) {
    return new Budget(period, OptionalLong.of(seconds), OptionalLong.empty(), Optional.empty(), 80);
  }

  private void use(long cpuMicros) {
    control.node.readings.put(
        id,
        new Reading(
            Optional.of(new Counter(cage, cpuMicros)),
            OptionalLong.of(0),
            OptionalLong.of(0),
            Optional.of(new Counter(cage, cpuMicros)),
            Optional.of(new Counter(cage, 0))));
  }

  private void awaitPaused() {
    Awaitility.await()
        .until(() -> control.lifecycle.require("box").state() instanceof SandboxState.Paused);
  }

  private List<String> told() {
    return control.ledger.read(session ->
        session.query(
            "select type from event where type like 'budget.%' order by id",
            row -> row.getString(1)));
  }

  @Test
  void one_that_has_used_all_is_warned_of_once_paused_and_not_woken_until_more_is_allowed() {
    budgets.set(BudgetHolder.of(id), ofCpu(Period.TOTAL, 10));
    use(8_000_000);
    Awaitility.await().until(() -> told().equals(List.of("budget.warned")));
    assertThat(control.lifecycle.require("box").state()).isInstanceOf(SandboxState.Running.class);
    use(10_000_000);
    awaitPaused();
    assertThat(told()).containsExactly("budget.warned", "budget.exhausted");

    for (Runnable use :
        List.<Runnable>of(
            () -> control.lifecycle.awake("box"),
            () -> control.lifecycle.resume("box"),
            () -> control.lifecycle.start("box"),
            () -> control.lifecycle.running("box", sandbox -> sandbox))) {
      assertThatThrownBy(use::run)
          .isInstanceOfSatisfying(
              CoveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUDGET_EXHAUSTED))
          .hasMessageContaining("10.000000 of 10 cpuSeconds");
    }
    metering.close();
    control.restart();
    meter();
    assertThatThrownBy(() -> control.lifecycle.awake("box")).hasMessageContaining("is used up");
    assertThat(control.create("other").state())
        .as("others go on")
        .isInstanceOf(SandboxState.Running.class);

    Spending raised = budgets.set(BudgetHolder.of(id), ofCpu(Period.TOTAL, 100));
    assertThat(raised.level()).isEqualTo(Spending.Level.WITHIN);
    assertThat(raised.spent().cpuMicros()).as("what it has used").isEqualTo(10_000_000);
    assertThat(control.lifecycle.awake("box").state()).isInstanceOf(SandboxState.Running.class);
    assertThat(told()).hasSize(2);
  }

  @Test
  void with_the_next_period_it_may_run_again_and_is_warned_of_again() {
    budgets.set(BudgetHolder.of(id), ofCpu(Period.DAY, 1));
    use(1_000_000);
    awaitPaused();
    control.clock.advance(Duration.ofDays(1));
    control.lifecycle.awake("box");
    Awaitility.await()
        .untilAsserted(() ->
            assertThat(budgets.now(BudgetHolder.of(id)).orElseThrow().spent().cpuMicros())
                .isZero());
    use(2_000_000);
    awaitPaused();
    assertThat(told()).containsExactly("budget.exhausted", "budget.exhausted");
    control.clock.advance(Duration.ofDays(-2));
    assertThatThrownBy(() -> control.lifecycle.awake("box"))
        .as("a clock that goes back makes no budget whole")
        .hasMessageContaining("is used up");
  }

  @Test
  void a_budget_may_be_a_cost_or_bytes_and_is_gone_with_its_sandbox() {
    budgets.set(
        BudgetHolder.of(id),
        new Budget(
            Period.MONTH,
            OptionalLong.empty(),
            OptionalLong.of(1L << 40),
            Optional.of(new BigDecimal("2.5")),
            50));
    use(1_250_000);
    Awaitility.await().until(() -> told().equals(List.of("budget.warned")));
    use(2_500_000);
    awaitPaused();
    control.lifecycle.delete("box");
    Awaitility.await().until(() -> budgets.now(BudgetHolder.of(id)).isEmpty());
    assertThat(budgets.remove(BudgetHolder.of(id))).isFalse();
  }

  @Test
  void a_project_that_has_used_all_runs_nothing_and_makes_nothing() {
    var project = BudgetHolder.ofProject("default");
    budgets.set(
        project,
        new Budget(
            Period.TOTAL, OptionalLong.empty(), OptionalLong.of(1_000), Optional.empty(), 80));
    use(1_000);
    awaitPaused();
    assertThatThrownBy(() -> control.create("more"))
        .hasMessageContaining("budget of project default is used up");
    assertThat(budgets.remove(project)).isTrue();
    control.create("more");
    control.lifecycle.awake("box");
  }

  @Test
  void what_makes_no_sense_is_no_budget() {
    assertThatThrownBy(() ->
            new Budget(
                Period.DAY, OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), 80))
        .hasMessageContaining("A budget has");
    assertThatThrownBy(() -> ofCpu(Period.DAY, -1)).hasMessageContaining("cpuSeconds must be");
    assertThatThrownBy(() ->
            new Budget(
                Period.DAY,
                OptionalLong.empty(),
                OptionalLong.empty(),
                Optional.of(new BigDecimal("0.0000001")),
                80))
        .hasMessageContaining("cost must be");
    assertThatThrownBy(() ->
            new Budgets(control.ledger, control.clock, Optional.empty())
                .set(
                    BudgetHolder.of(id),
                    new Budget(
                        Period.DAY,
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        Optional.of(BigDecimal.ONE),
                        80)))
        .hasMessageContaining("no prices");
  }
}
