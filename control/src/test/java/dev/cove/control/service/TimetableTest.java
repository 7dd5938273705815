package dev.cove.control.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.control.service.Service.Ready;
import dev.cove.control.service.Service.Restart;
import dev.cove.control.service.ServiceLedger.Row;
import dev.cove.control.service.Timetable.Due;
import dev.cove.model.SandboxId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimetableTest {
  private static final SandboxId BOX = new SandboxId("aaaaaaaaaaaaaa");
  private static final Instant TEN = Instant.parse("2026-11-18T10:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Due JOB = new Due(BOX, "job");

  private final Timetable timetable = new Timetable();

  private static Row row(String schedule, Instant last) {
    var service =
        new Service(
            "job",
            List.of("true"),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            Ready.AT_ONCE,
            Restart.NEVER,
            Optional.of(Schedule.parse(schedule)),
            false);
    return Row.fresh(service, last);
  }

  private static Instant at(int minutes) {
    return TEN.plus(Duration.ofMinutes(minutes));
  }

  @Test
  void each_time_is_told_once() {
    timetable.set(BOX, List.of(row("every 10m", at(1))), at(1));
    assertThat(timetable.next(BOX, "job")).contains(at(10));
    assertThat(timetable.due(at(9))).isEmpty();
    assertThat(timetable.due(at(10))).containsExactly(JOB);
    assertThat(timetable.due(at(10))).isEmpty();
    assertThat(timetable.due(at(19))).isEmpty();
    assertThat(timetable.due(at(21))).containsExactly(JOB);
    assertThat(timetable.next(BOX, "job")).contains(at(30));
  }

  @Test
  void what_was_due_while_nobody_looked_is_due_once() {
    timetable.set(BOX, List.of(row("every 10m", at(-200))), at(5));
    assertThat(timetable.due(at(5))).containsExactly(JOB);
    assertThat(timetable.due(at(6))).isEmpty();
    assertThat(timetable.due(at(10))).containsExactly(JOB);
  }

  @Test
  void a_clock_that_jumps_costs_no_run_and_brings_no_row_of_them() {
    timetable.set(BOX, List.of(row("every 10m", at(1))), at(1));
    assertThat(timetable.due(at(5).plus(HOUR))).as("an hour forward").containsExactly(JOB);
    assertThat(timetable.due(at(6).plus(HOUR))).isEmpty();
    assertThat(timetable.due(at(7))).as("and back").isEmpty();
    assertThat(timetable.due(at(10))).containsExactly(JOB);
    assertThat(timetable.due(at(15).minus(HOUR))).as("an hour back").isEmpty();
    assertThat(timetable.due(at(20).minus(HOUR))).containsExactly(JOB);
  }

  @Test
  void a_row_from_the_future_makes_nobody_wait() {
    timetable.set(BOX, List.of(row("every 10m", at(600))), at(1));
    assertThat(timetable.next(BOX, "job")).contains(at(10));
  }

  @Test
  void a_list_that_is_set_again_forgets_no_time_and_a_new_schedule_begins_anew() {
    timetable.set(BOX, List.of(row("every 10m", at(1))), at(1));
    timetable.set(BOX, List.of(row("every 10m", at(14))), at(14));
    assertThat(timetable.due(at(14))).as("was due before").containsExactly(JOB);
    timetable.set(BOX, List.of(row("every 7m", at(15))), at(15));
    assertThat(timetable.due(at(15))).isEmpty();
    timetable.set(BOX, List.of(), at(16));
    assertThat(timetable.due(at(600))).isEmpty();
    timetable.set(BOX, List.of(row("every 10m", at(601))), at(601));
    timetable.forget(BOX);
    assertThat(timetable.due(at(700))).isEmpty();
  }
}
