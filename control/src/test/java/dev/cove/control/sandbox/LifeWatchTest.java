package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.PauseReason;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import dev.cove.model.life.LifeRules;
import dev.cove.model.life.OnEnd;
import dev.cove.model.life.OnHostRestart;
import dev.cove.node.Node.Activity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to sandboxes by themselves. The test is the clock that never jumps. */
class LifeWatchTest {
  private static final Duration IDLE = Duration.ofMinutes(15);
  private static final Duration DAY = Duration.ofDays(1);
  private static final double IDLE_CPU = 0.03;

  @TempDir Path folder;
  private ControlPlane control;
  private LifeWatch watch;
  private long nanos = System.nanoTime();

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
    control.usual =
        LifeRules.SILENT
            .withIdle(Optional.of(IDLE))
            .withPausedFor(Optional.of(DAY.multipliedBy(7)));
    restart("boot-1");
  }

  @AfterEach
  void end() {
    watch.close();
    control.close();
  }

  private void restart(String boot) {
    if (watch != null) {
      watch.close();
    }
    control.restart(boot);
    watch = control.lifecycle.watchLives(IDLE_CPU);
  }

  private Sandbox create(String name, UnaryOperator<LifeRules> life) {
    Sandbox box = control.create(name);
    control.lifecycle.changeLife(name, life, true);
    return box;
  }

  private void pass(Duration time) {
    Duration step = time.compareTo(Duration.ofHours(1)) > 0 ? time : Duration.ofSeconds(30);
    for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(step)) {
      nanos += step.toNanos();
      watch.look(nanos);
    }
  }

  private SandboxState state(String name) {
    return control.lifecycle.require(name).state();
  }

  private static ConditionFactory soon() {
    return Awaitility.await().atMost(Duration.ofSeconds(30));
  }

  private void awaitPaused(String name, PauseReason reason) {
    soon()
        .until(
            () -> state(name) instanceof SandboxState.Paused paused && paused.reason() == reason);
  }

  private void awaitStopped(String name, StopReason reason) {
    soon()
        .until(() ->
            state(name) instanceof SandboxState.Stopped stopped && stopped.reason() == reason);
  }

  private void staysRunning(String name) {
    assertThat(state(name)).isInstanceOf(SandboxState.Running.class);
    assertThat(control.node.paused).isEmpty();
  }

  @Test
  void a_sandbox_in_which_nothing_happens_is_paused_and_says_why() {
    control.create("box");
    pass(IDLE.minusMinutes(1));
    staysRunning("box");
    pass(Duration.ofMinutes(2));
    awaitPaused("box", PauseReason.IDLE);
    restart("boot-1");
    assertThat(((SandboxState.Paused) state("box")).reason()).isEqualTo(PauseReason.IDLE);
    control.lifecycle.guest("box");
    staysRunning("box");
  }

  @Test
  void whoever_is_attached_calls_or_sends_keeps_it_awake() {
    Sandbox box = control.create("box");
    for (Activity activity :
        new Activity[] {
          new Activity(1, 0, true, 0, Duration.ZERO),
          new Activity(1, 1, false, 0, Duration.ZERO),
          new Activity(1, 1, false, 7, Duration.ZERO),
          new Activity(2, 1, false, 7, Duration.ZERO)
        }) {
      control.node.activities.put(box.id(), activity);
      pass(IDLE.minusMinutes(1));
      staysRunning("box");
    }
    pass(Duration.ofMinutes(2));
    awaitPaused("box", PauseReason.IDLE);
  }

  @Test
  void processes_keep_it_awake_above_the_threshold_and_not_below() {
    Sandbox box = control.create("box");
    long used = 0;
    for (int i = 0; i < 40; i++) {
      used += Duration.ofSeconds(1).toNanos();
      control.node.activities.put(box.id(), new Activity(1, 0, false, 0, Duration.ofNanos(used)));
      pass(Duration.ofSeconds(30));
    }
    staysRunning("box");
    for (int i = 0; i < 31; i++) {
      used += Duration.ofMillis(500).toNanos();
      control.node.activities.put(box.id(), new Activity(1, 0, false, 0, Duration.ofNanos(used)));
      pass(Duration.ofSeconds(30));
    }
    awaitPaused("box", PauseReason.IDLE);
  }

  @Test
  void the_nearest_who_says_something_counts() {
    create("kept", life -> life.withKeepAlive(Optional.of(true)));
    create("never", life -> life.withIdle(Optional.of(Duration.ZERO)));
    create("early", life -> life.withIdle(Optional.of(Duration.ofMinutes(1))));
    pass(Duration.ofMinutes(2));
    awaitPaused("early", PauseReason.IDLE);
    pass(IDLE.multipliedBy(2));
    assertThat(state("kept")).isInstanceOf(SandboxState.Running.class);
    assertThat(state("never")).isInstanceOf(SandboxState.Running.class);

    control.lifecycle.changeLife("never", life -> life.withIdle(Optional.empty()), false);
    pass(IDLE.plusMinutes(1));
    awaitPaused("never", PauseReason.IDLE);
  }

  @Test
  void who_says_when_it_is_idle_does_not_want_it_kept_alive_by_somebody_farther_away() {
    LifeRules template = LifeRules.SILENT.withKeepAlive(Optional.of(true));
    LifeRules own = LifeRules.SILENT.withIdle(Optional.of(IDLE));
    assertThat(own.over(template).pauseAfter()).contains(IDLE);
    assertThat(LifeRules.SILENT.over(template).over(own).pauseAfter()).isEmpty();
  }

  @Test
  void somebody_who_comes_at_the_last_moment_is_not_paused() {
    Sandbox box = control.create("box");
    var entry = new Activity(1, 0, false, 0, Duration.ZERO);
    control.node.activities.put(box.id(), new Activity(1, 1, false, 0, Duration.ZERO));
    assertThat(control.node.pauseUnless(box.id(), entry)).isFalse();
    pass(IDLE.plusMinutes(1));
    control.node.activities.put(box.id(), new Activity(1, 2, true, 0, Duration.ZERO));
    control.lifecycle.guest("box");
    soon().untilAsserted(() -> staysRunning("box"));
  }

  @Test
  void what_is_paused_for_long_is_stopped_also_when_the_server_was_restarted_meanwhile() {
    control.create("box");
    control.lifecycle.pause("box");
    pass(DAY.multipliedBy(6));
    assertThat(state("box")).isInstanceOf(SandboxState.Paused.class);
    control.clock.advance(DAY.multipliedBy(6));
    restart("boot-1");
    watch.look(nanos);
    assertThat(state("box")).isInstanceOf(SandboxState.Paused.class);
    pass(DAY);
    awaitStopped("box", StopReason.IDLE);
    control.lifecycle.guest("box");
    staysRunning("box");
  }

  @Test
  void a_wall_clock_that_jumps_makes_nothing_due() {
    control.create("box");
    create("short", life -> life.withMaxLife(Optional.of(Duration.ofHours(2))));
    control.create("paused");
    control.lifecycle.pause("paused");
    watch.look(nanos);
    control.clock.advance(DAY.multipliedBy(400));
    pass(Duration.ofMinutes(5));
    control.clock.advance(DAY.multipliedBy(-800));
    pass(Duration.ofMinutes(5));
    assertThat(state("box")).isInstanceOf(SandboxState.Running.class);
    assertThat(state("short")).isInstanceOf(SandboxState.Running.class);
    assertThat(state("paused")).isInstanceOf(SandboxState.Paused.class);
    pass(Duration.ofHours(2));
    awaitStopped("short", StopReason.MAX_LIFE);
  }

  @Test
  void a_life_that_is_over_ends_as_was_said() {
    UnaryOperator<LifeRules> hour = life -> life.withMaxLife(Optional.of(Duration.ofHours(1)));
    create("stopped", hour);
    create("paused", life -> hour.apply(life).withOnEnd(Optional.of(OnEnd.PAUSE)));
    create("deleted", life -> hour.apply(life).withOnEnd(Optional.of(OnEnd.DELETE)));
    watch.look(nanos);
    pass(Duration.ofHours(1).plusMinutes(1));
    awaitStopped("stopped", StopReason.MAX_LIFE);
    awaitPaused("paused", PauseReason.MAX_LIFE);
    soon().until(() -> control.lifecycle.list(Map.of(), 10, Optional.empty()).items().size() == 2);
  }

  @Test
  void a_life_can_be_made_longer_and_begins_anew_for_who_goes_on_after_its_end() {
    create("box", life -> life.withMaxLife(Optional.of(Duration.ofHours(1))));
    watch.look(nanos);
    var end = control.lifecycle.require("box").endsAt().orElseThrow();
    control.lifecycle.changeLife(
        "box", life -> life.withMaxLife(Optional.of(Duration.ofHours(3))), true);
    assertThat(control.lifecycle.require("box").endsAt().orElseThrow()).isAfter(end);
    control.lifecycle.changeLife("box", life -> life.withKeepAlive(Optional.of(true)), false);
    watch.look(nanos);
    pass(Duration.ofHours(2));
    staysRunning("box");
    pass(Duration.ofHours(2));
    awaitStopped("box", StopReason.MAX_LIFE);
    control.clock.advance(Duration.ofHours(4));
    restart("boot-1");
    control.lifecycle.start("box");
    assertThat(control.lifecycle.require("box").endsAt().orElseThrow())
        .isAfter(control.clock.instant().plus(Duration.ofHours(2)));
    watch.look(nanos);
    staysRunning("box");
  }

  @Test
  void who_ran_when_the_host_went_down_and_is_to_start_again_does() {
    UnaryOperator<LifeRules> again =
        life -> life.withOnHostRestart(Optional.of(OnHostRestart.START));
    create("again", again);
    create("paused", again);
    control.lifecycle.pause("paused");
    control.create("other");
    control.node.haltAll();
    restart("boot-2");
    assertThat(state("again")).isInstanceOf(SandboxState.Stopped.class);

    // The server ends before it could start anybody: the next one still knows.
    restart("boot-2");
    watch.begin();
    soon().until(() -> state("again") instanceof SandboxState.Running);
    awaitStopped("paused", StopReason.HOST_RESTARTED);
    awaitStopped("other", StopReason.HOST_RESTARTED);

    soon()
        .until(() ->
            control.ledger.read(session ->
                session.query("select 1 from start_again", row -> row.getInt(1)).isEmpty()));
    control.node.haltAll();
    restart("boot-2");
    watch.begin();
    awaitStopped("again", StopReason.LOST);
  }

  @Test
  void a_thousand_sandboxes_are_looked_at_in_no_time() {
    for (int i = 0; i < 1_000; i++) {
      control.create();
    }
    pass(Duration.ofMinutes(1));
    long begin = System.nanoTime();
    pass(Duration.ofMinutes(5));
    assertThat(Duration.ofNanos(System.nanoTime() - begin).dividedBy(10))
        .isLessThan(Duration.ofMillis(100));
    assertThat(control.node.paused).isEmpty();
  }
}
