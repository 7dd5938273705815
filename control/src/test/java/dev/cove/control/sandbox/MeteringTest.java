package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.usage.Amounts;
import dev.cove.control.usage.Budgets;
import dev.cove.control.usage.Grouping;
import dev.cove.control.usage.Retention;
import dev.cove.control.usage.Usage;
import dev.cove.control.usage.UsagePage;
import dev.cove.control.usage.UsageQuery;
import dev.cove.model.SandboxId;
import dev.cove.model.StopReason;
import dev.cove.model.meter.BootClock;
import dev.cove.model.meter.Counter;
import dev.cove.model.meter.Moment;
import dev.cove.node.Reading;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What rounds, transitions and ends write down, on a real ledger. */
class MeteringTest {
  private static final Duration OFTEN = Duration.ofMillis(50);

  private static final Retention RETENTION =
      new Retention(Duration.ofDays(10), Duration.ofDays(100), 1_000);

  private ControlPlane control;
  private final Moment cage = BootClock.ofHost().now();

  @BeforeEach
  void open(@TempDir Path folder) {
    control = new ControlPlane(folder);
  }

  @AfterEach
  void close() {
    control.close();
  }

  private Metering meter() {
    return control.lifecycle.meter(
        control.ledger,
        control.clock,
        new Metering.Settings(
            OFTEN, new Budgets(control.ledger, control.clock, Optional.empty()), RETENTION));
  }

  private Reading reading(Moment since, long cpuMicros) {
    return new Reading(
        Optional.of(new Counter(since, cpuMicros)),
        OptionalLong.of(1 << 20),
        OptionalLong.of(1 << 20),
        Optional.of(new Counter(since, cpuMicros)),
        Optional.of(new Counter(since, 2 * cpuMicros)));
  }

  private List<UsagePage.Item> used(String group, Optional<String> sandbox) {
    var query =
        new UsageQuery(
            Instant.now().minus(Duration.ofDays(2)),
            Instant.now().plus(Duration.ofDays(2)),
            Grouping.of(group),
            sandbox,
            Optional.empty(),
            1_000,
            Optional.empty());
    return new Usage(control.ledger, Optional.empty()).page(query).items();
  }

  private Amounts total(SandboxId id) {
    return used("total", Optional.of(id.value())).getFirst().amounts();
  }

  private void awaitCpu(SandboxId id, long micros) {
    Awaitility.await().untilAsserted(() -> assertThat(total(id).cpuMicros()).isEqualTo(micros));
  }

  @Test
  void a_clock_that_jumps_by_an_hour_adds_nothing_and_takes_nothing() {
    long began = System.nanoTime();
    SandboxId id = control.create("box").id();
    control.node.readings.put(id, reading(cage, 1_000));
    try (Metering _ = meter()) {
      awaitCpu(id, 1_000);
      control.clock.advance(Duration.ofHours(1));
      control.node.readings.put(id, reading(cage, 3_000));
      awaitCpu(id, 3_000);
      control.clock.advance(Duration.ofHours(-2));
      control.node.readings.put(id, reading(cage, 7_000));
      awaitCpu(id, 7_000);
    }
    Amounts all = total(id);
    assertThat(all.sentBytes()).isEqualTo(7_000);
    assertThat(all.receivedBytes()).isEqualTo(14_000);
    assertThat(all.runningMillis()).isBetween(1L, (System.nanoTime() - began) / 1_000_000 + 1);
    assertThat(used("hour", Optional.of(id.value())))
        .allSatisfy(hour -> assertThat(hour.amounts().runningMillis()).isNotNegative())
        .hasSizeGreaterThan(2);
  }

  @Test
  void the_last_reading_of_a_cage_counts_before_and_after_its_sandbox_is_gone() {
    SandboxId id = control.create("box").id();
    control.node.readings.put(id, reading(cage, 1_000));
    control.lifecycle.stop("box", StopReason.ASKED, Duration.ZERO);
    control.node.ended.ended(id, reading(cage, 1_500));
    control.node.ended.ended(id, reading(cage, 1_500));
    var later = new Moment(cage.boot(), cage.nanos() + 1);
    control.lifecycle.start("box");
    control.node.ended.ended(id, reading(cage, 1_400)); // one that comes late
    control.node.ended.ended(id, reading(later, 500));
    assertThat(total(id).cpuMicros()).isEqualTo(2_000);
    control.node.readings.put(id, reading(later, 600));
    control.lifecycle.delete("box");
    Awaitility.await().until(() -> control.lifecycle.find(id).isEmpty());
    control.node.ended.ended(SandboxId.random(), reading(later, 9_000)); // nobody's
    assertThat(total(id).cpuMicros()).isEqualTo(2_100);
    control.restart();
    assertThat(total(id).cpuMicros()).isEqualTo(2_100);
    assertThat(used("sandbox", Optional.of("box")).getFirst().name()).contains("box");
  }

  @Test
  void what_was_found_ended_at_a_start_did_not_run_meanwhile() {
    SandboxId id = control.create("box").id();
    control.node.haltAll();
    control.restart();
    Amounts before = total(id);
    assertThat(before.stoppedMillis()).isPositive();
    assertThat(before.runningMillis()).isZero();
  }

  @Test
  void a_sandbox_that_never_came_to_be_has_used_nothing() {
    control.node.startsFail = true;
    assertThatThrownBy(() -> control.create("box")).hasMessageContaining("could not be built");
    assertThat(used("sandbox", Optional.empty())).isEmpty();
  }

  @Test
  void labels_are_those_that_the_sandbox_has_or_had_last() {
    SandboxId id =
        control.lifecycle.create(ControlPlane.labelled(Map.of("team", "a"))).sandbox().id();
    control.node.readings.put(id, reading(cage, 1_000));
    control.lifecycle.relabel(id.value(), Map.of("team", Optional.of("b")));
    control.lifecycle.delete(id.value());
    Awaitility.await()
        .untilAsserted(() ->
            assertThat(used("label:team", Optional.empty()))
                .singleElement()
                .satisfies(item -> {
                  assertThat(item.key()).isEqualTo("b");
                  assertThat(item.amounts().cpuMicros()).isEqualTo(1_000);
                }));
  }

  @Test
  void what_is_old_is_known_by_the_day_and_then_by_project_and_no_sum_is_lost() {
    SandboxId id = control.create("box").id();
    long micros = 0;
    try (Metering _ = meter()) {
      for (int hour = 0; hour < 30; hour++) {
        micros += 1_000;
        control.node.readings.put(id, reading(cage, micros));
        awaitCpu(id, micros);
        control.clock.advance(Duration.ofHours(1));
      }
    }
    Instant later = Instant.now().plus(Duration.ofDays(20));
    RETENTION.apply(control.ledger, later);
    assertThat(total(id).cpuMicros()).isEqualTo(micros);
    assertThat(used("hour", Optional.of(id.value()))).hasSizeLessThan(4);
    control.lifecycle.delete("box");
    Awaitility.await().until(() -> control.lifecycle.find(id).isEmpty());
    RETENTION.apply(control.ledger, Instant.now().plus(Duration.ofDays(200)));
    assertThat(used("project", Optional.empty()))
        .singleElement()
        .satisfies(item -> assertThat(item.amounts().cpuMicros()).isEqualTo(30_000));
    assertThat(used("sandbox", Optional.empty())).extracting(UsagePage.Item::key).contains("");
    assertThatThrownBy(() -> used("total", Optional.of("box")))
        .hasMessageContaining("no such sandbox");
    new Retention(Duration.ofDays(9_000), Duration.ofDays(9_000), 0)
        .apply(control.ledger, Instant.now());
    assertThat(used("sandbox", Optional.empty())).as("when there is no room").hasSize(1);
  }

  @Test
  void pages_follow_each_other_without_gap_or_repeat() {
    for (int i = 0; i < 5; i++) {
      SandboxId id = control.create("box" + i).id();
      control.node.readings.put(id, reading(cage, 1));
      control.lifecycle.pause("box" + i);
    }
    var seen = new TreeSet<String>();
    Optional<String> cursor = Optional.empty();
    do {
      UsagePage page =
          new Usage(control.ledger, Optional.empty())
              .page(
                  new UsageQuery(
                      Instant.now().minus(Duration.ofDays(1)),
                      Instant.now().plus(Duration.ofDays(1)),
                      Grouping.of("sandbox"),
                      Optional.empty(),
                      Optional.empty(),
                      2,
                      cursor));
      page.items().forEach(item -> assertThat(seen.add(item.key())).isTrue());
      cursor = page.next();
    } while (cursor.isPresent());
    assertThat(seen).hasSize(5);
  }
}
