package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cove.model.crash.FailPoint;
import dev.cove.sdk.BudgetLimits;
import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Event;
import dev.cove.sdk.EventQuery;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.Usage;
import dev.cove.sdk.UsageQuery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is used is counted: all of it, once, and for good. */
class UsageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Burns that much processor time by its own account, so that a slow machine does not matter. */
  private static final String BURN =
      "while [ $(( $(cut -d' ' -f14 /proc/$$/stat) + $(cut -d' ' -f16 /proc/$$/stat) )) -lt 50 ];"
          + " do i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; done";

  private static final Offset<Double> A_LITTLE = within(0.15);

  @RegisterExtension
  static final RunningServer server =
      RunningServer.with(
          Map.of(
              "COVE_POOL_SIZE",
              "0",
              "COVE_METER_INTERVAL_MS",
              "100",
              "COVE_PRICES",
              prices().toString()));

  private static Path prices() {
    try {
      Path file = Files.createTempFile("cove-prices", ".txt");
      file.toFile().deleteOnExit();
      return Files.writeString(file, "currency EUR\ncpu-hour 3600  # one a second\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Usage.Item used(String box) {
    return server.cove().usage(UsageQuery.by("sandbox").sandbox(box)).items().getFirst();
  }

  private static double cpu(String box) {
    return used(box).cpuSeconds().doubleValue();
  }

  private static double counted(Sandbox box) {
    return box.metrics().cpu().usedSeconds();
  }

  private static void awaitCpu(String box, double seconds) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(cpu(box)).isCloseTo(seconds, A_LITTLE));
  }

  @Test
  void processor_time_is_what_the_kernel_counted_through_rest_crash_and_deletion()
      throws Exception {
    Sandbox box = server.create().detach();
    String id = box.id();
    box.exec("sh", "-c", BURN);
    double first = counted(box);
    assertThat(first).isGreaterThan(0.4);
    awaitCpu(id, first);

    box.pause();
    box.resume();
    awaitCpu(id, first);

    box.stop();
    awaitCpu(id, first); // what its end took included
    box.start();
    box.exec("sh", "-c", BURN);
    double second = counted(box);
    assertThat(second).as("a new cage begins at zero").isBetween(0.4, first + 0.4);
    awaitCpu(id, first + second);

    server.kill();
    server.start();
    Sandbox same = server.cove().sandboxes().require(id);
    same.exec("sh", "-c", BURN);
    double third = counted(same);
    assertThat(third).as("the same cage").isGreaterThan(second + 0.4);
    awaitCpu(id, first + third);

    same.delete();
    assertThat(cpu(id)).as("kept when it is gone").isCloseTo(first + third, A_LITTLE);
    Usage.Item last = used(id);
    assertThat(last.runningSeconds()).isPositive();
    assertThat(last.memoryMbSeconds()).isPositive();
    assertThat(last.diskMbSeconds()).isPositive();
    assertThat(used(id)).as("and counted no further").isEqualTo(last);
  }

  @Test
  void what_is_used_while_there_is_no_server_counts_once() throws Exception {
    Sandbox box = server.create().detach();
    box.start(Command.shell("sleep 1; " + BURN + "; touch /tmp/done; sleep 1000").keepRunning());
    server.kill();
    server.start();
    Sandbox same = server.cove().sandboxes().require(box.id());
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> same.exec("test", "-e", "/tmp/done").exitCode() == 0);
    awaitCpu(box.id(), counted(same));
    assertThat(cpu(box.id())).isGreaterThan(0.4);
    same.delete();
  }

  @Test
  void what_ends_while_there_is_no_server_is_counted_from_what_it_left() throws Exception {
    Sandbox box = server.create().detach();
    server.kill();
    server.startArmed(FailPoint.STOP_RECORDED.toString());
    Sandbox same = server.cove().sandboxes().require(box.id());
    same.exec("sh", "-c", BURN);
    double before = counted(same);
    assertThatThrownBy(same::stop);
    server.start(); // which ends the cage, and reads before it does
    awaitCpu(box.id(), before);
    server.cove().sandboxes().delete(box.id());
    assertThat(cpu(box.id())).isCloseTo(before, A_LITTLE);
  }

  @Test
  void time_counts_for_the_state_in_which_it_passed() throws Exception {
    Sandbox box = server.create().detach();
    box.pause();
    Usage.Item atPause = used(box.id());
    Awaitility.await().pollDelay(Duration.ofMillis(700)).atMost(PATIENCE).until(() -> true);
    box.resume();
    Usage.Item resumed = used(box.id());
    assertThat(resumed.pausedSeconds().doubleValue()).isBetween(0.7, 5.0);
    assertThat(resumed.runningSeconds()).isEqualByComparingTo(atPause.runningSeconds());
    box.stop();
    box.start();
    Usage.Item restarted = used(box.id());
    assertThat(restarted.pausedSeconds()).isEqualByComparingTo(resumed.pausedSeconds());
    assertThat(restarted.stoppedSeconds()).isPositive();
    box.delete();
  }

  @Test
  void usage_is_told_by_groups_as_json_and_csv_and_names_are_no_formulas() throws Exception {
    String label = "team-" + System.nanoTime();
    Sandbox box =
        server
            .cove()
            .sandboxes()
            .create(CreateOptions.defaults().name("=1+2").label("team", label))
            .detach();
    Awaitility.await().atMost(PATIENCE).until(() -> cpu(box.id()) > 0);
    Usage byLabel = server.cove().usage(UsageQuery.by("label:team"));
    assertThat(byLabel.items()).anySatisfy(item -> assertThat(item.key()).isEqualTo(label));
    BigDecimal total = server.cove().usage(UsageQuery.by("total")).items().getFirst().cpuSeconds();
    assertThat(total).isGreaterThanOrEqualTo(used(box.id()).cpuSeconds());
    assertThat(server.cove().usage(UsageQuery.by("day")).items()).isNotEmpty();
    assertThat(server.cove().usage(UsageQuery.by("project")).items()).isNotEmpty();

    Usage.Item priced = used(box.id());
    assertThat(priced.cost().orElseThrow())
        .as("one a second")
        .isEqualByComparingTo(priced.cpuSeconds());

    String csv = server.cove().usageCsv(UsageQuery.by("sandbox").sandbox(box.id()));
    assertThat(csv.lines().toList()).hasSize(2);
    assertThat(csv).startsWith("key,name,project,cpuSeconds,").contains("\"'=1+2\"");
    Cli cli = Cli.of(server);
    assertThat(cli.run("usage", "--box", box.id(), "--csv").succeeded().stdout())
        .contains(box.id());
    assertThat(cli.run("usage", "--by", "day").succeeded().stdout()).contains("CPU");
    assertThat(cli.run("usage", "--json").succeeded().stdout()).contains("\"cpuSeconds\":");
    Cli.Outcome refused = cli.run("usage", "--by", "colour");
    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.stderr()).contains("group must be sandbox");
    assertThatThrownBy(
            () -> server.cove().usage(UsageQuery.by("day").from("2026-02-01").to("2026-01-01")))
        .isInstanceOfSatisfying(CoveApiException.class, e -> assertThat(e.status()).isEqualTo(400));
    box.delete();
    assertThat(used("=1+2").key()).as("by a name that is free again").isEqualTo(box.id());
  }

  @Test
  void a_spent_budget_of_a_project_pauses_its_sandboxes_and_no_one_elses() throws Exception {
    server.cove().projects().create("spender");
    server.cove().projects().create("saver");
    try (Cove spender = Cove.connect(server.url(), server.key(), "spender");
        Cove saver = Cove.connect(server.url(), server.key(), "saver");
        Sandbox busy = spender.sandboxes().create();
        Sandbox idle = spender.sandboxes().create();
        Sandbox apart = saver.sandboxes().create()) {
      server.cove().budgets().setForProject("spender", BudgetLimits.each("day").cpuSeconds(1));
      server.cove().budgets().setForProject("saver", BudgetLimits.each("day").cpuSeconds(1_000));
      busy.start(Command.shell("while :; do :; done").keepRunning());
      for (Sandbox box : List.of(busy, idle)) {
        Awaitility.await().atMost(PATIENCE).until(() -> box.fetchInfo().state().equals("paused"));
      }
      assertThatThrownBy(() -> spender.sandboxes().create()).hasMessageContaining("is used up");
      assertThat(apart.fetchInfo().state()).isEqualTo("running");
      assertThat(apart.exec("echo", "untouched").stdout()).isEqualTo("untouched\n");
      assertThat(server.cove().budgets().ofProject("saver").orElseThrow().level())
          .isEqualTo("within");
      server.cove().budgets().removeFromProject("spender");
      assertThat(idle.exec("echo", "again").stdout()).isEqualTo("again\n");
    }
  }

  @Test
  void a_budget_pauses_with_all_work_kept_and_is_raised_or_refused_by_name() throws Exception {
    Sandbox box = server.create().detach();
    Cli cli = Cli.of(server);
    cli.run("budget", "set", box.id(), "--cpu-seconds", "1", "--warn", "10").succeeded();
    box.start(Command.shell("echo kept > /tmp/work; while :; do :; done").keepRunning());
    Awaitility.await().atMost(PATIENCE).until(() -> box.fetchInfo().state().equals("paused"));
    assertThatThrownBy(() -> box.exec("true"))
        .isInstanceOfSatisfying(
            CoveApiException.class,
            e -> {
              assertThat(e.status()).isEqualTo(402);
              assertThat(e.code()).isEqualTo("budget_exhausted");
              assertThat(e.getMessage()).contains("of 1 cpuSeconds");
            });
    assertThatThrownBy(box::resume).hasMessageContaining("is used up");
    assertThat(cli.run("budget", "show", box.id()).succeeded().stdout()).contains("exhausted");
    assertThat(
            server.cove().events().list(EventQuery.all().sandbox(box.id()), 1_000).items().stream()
                .map(Event::type))
        .containsOnlyOnce("budget.warned", "budget.exhausted");

    server.kill();
    server.start();
    Sandbox same = server.cove().sandboxes().require(box.id());
    assertThatThrownBy(() -> same.exec("true")).hasMessageContaining("is used up");
    server
        .cove()
        .budgets()
        .setForSandbox(box.id(), BudgetLimits.each("day").cost(new BigDecimal("1000")));
    assertThat(same.exec("cat", "/tmp/work").stdout()).isEqualTo("kept\n");
    assertThat(server.cove().budgets().ofSandbox(box.id()).orElseThrow().level())
        .isEqualTo("within");
    server.cove().budgets().removeFromSandbox(box.id());
    assertThat(server.cove().budgets().ofSandbox(box.id())).isEmpty();
    assertThat(cli.run("budget", "set", box.id()).exitCode()).isNotZero();
    same.delete();
  }
}
