package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.engine.Cage;
import dev.cove.engine.CageCount;
import dev.cove.engine.CageExit;
import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.model.SandboxId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How cages come, stay and go, also when what made them dies. */
abstract class LifecycleContract extends EngineContract {
  private static final int AT_ONCE = 20;

  private void assertNothingLeft(SandboxId id) throws Exception {
    assertThat(engine().present()).doesNotContain(id);
    HostTraces.eventually("no trace of " + id, () -> traces(id).isEmpty());
  }

  private List<String> traces(SandboxId id) {
    try {
      return HostTraces.of(id.value(), home);
    } catch (IOException e) {
      throw new AssertionError("The host could not be looked at", e);
    }
  }

  private static void kill(long pid) {
    assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
  }

  @Test
  void a_destroyed_cage_leaves_nothing() throws Exception {
    var cage = engine().start(plan());
    var box = Box.of(cage);
    box.root("sleep 100 & echo x > /usr/x; echo y > /dev/shm/y");
    assertThat(traces(cage.id())).isNotEmpty();
    String network = box.root("readlink /proc/self/ns/net");
    assertThat(HostTraces.netNamespaces()).contains(network);

    cage.destroy();
    cage.destroy();
    assertNothingLeft(cage.id());
    assertThat(HostTraces.netNamespaces()).doesNotContain(network);
    assertThat(cage.exit().get(5, TimeUnit.SECONDS)).isEqualTo(CageExit.DESTROYED);
    box.guest().close();
  }

  @Test
  void a_start_that_fails_names_the_step_and_leaves_nothing() throws Exception {
    var plan =
        new CagePlan(
            SandboxId.random(),
            new RootFs(List.of(Path.of("/nonexistent/layer")), List.of()),
            SMALL);
    assertThatThrownBy(() -> engine().start(plan))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("/nonexistent/layer");
    assertNothingLeft(plan.id());
  }

  @Test
  void a_second_start_of_a_sandbox_is_refused_and_the_first_is_untouched() throws Exception {
    var plan = plan();
    try (var box = Box.of(engine().start(plan))) {
      assertThatThrownBy(() -> engine().start(plan)).isInstanceOf(EngineException.class);
      assertThat(box.user("echo alive")).isEqualTo("alive");
    }
    assertNothingLeft(plan.id());
  }

  @Test
  void a_paused_sandbox_stands_still_and_goes_on() throws Exception {
    try (var box = box()) {
      box.user("(while :; do :; done) >/dev/null 2>&1 &");
      box.cage().pause();
      var paused = box.cage().usage().cpu();
      Thread.sleep(300); // the time in which a busy loop would show
      assertThat(box.cage().usage().cpu()).isEqualTo(paused);

      box.cage().resume();
      HostTraces.eventually(
          "the loop goes on", () -> box.cage().usage().cpu().compareTo(paused) > 0);
      assertThat(box.user("echo answers")).isEqualTo("answers");
    }
  }

  @Test
  void what_a_cage_has_used_is_told_when_it_ends_and_begins_anew_with_the_next() throws Exception {
    var told = new ConcurrentLinkedDeque<CageCount>();
    engine()
        .onEnd((_, count) -> {
          assertThat(count.cpuMicros().value()).isPositive();
          told.add(count);
        });
    var plan = plan();
    var cage = engine().start(plan);
    CageCount running = cage.count().orElseThrow();
    assertThat(running.memoryBytes()).isPositive();
    cage.halt();
    CageCount last = told.getLast();
    assertThat(last.cpuMicros().since()).isEqualTo(running.cpuMicros().since());
    assertThat(last.cpuMicros().value()).isGreaterThanOrEqualTo(running.cpuMicros().value());
    assertThat(cage.count()).isEmpty();

    engine().restart(plan).destroy();
    assertThat(told).hasSize(2);
    assertThat(told.getLast().cpuMicros().replaces(last.cpuMicros())).as("a later cage").isTrue();
    engine().remove(plan.id());
    assertThat(told).as("what is gone is told once").hasSize(2);
    engine().onEnd((_, _) -> {});
    assertNothingLeft(plan.id());
  }

  @Test
  void a_paused_sandbox_can_be_destroyed() throws Exception {
    var cage = engine().start(plan());
    cage.pause();
    cage.destroy();
    assertNothingLeft(cage.id());
  }

  @Test
  void the_end_of_the_agent_is_told_and_ends_every_process() throws Exception {
    var cage = engine().start(plan());
    var box = Box.of(cage);
    box.user("sleep 100 >/dev/null 2>&1 &");
    kill(HostTraces.agentOf(cage.id().value()));
    assertThat(cage.exit().get(20, TimeUnit.SECONDS)).isEqualTo(CageExit.AGENT_GONE);
    assertThat(HostTraces.processesOf(cage.id().value())).isEmpty();

    assertThat(engine().present()).contains(cage.id());
    engine().remove(cage.id());
    assertNothingLeft(cage.id());
    box.guest().close();
  }

  @Test
  void cages_outlive_the_engine_s_helpers() throws Exception {
    try (var box = box()) {
      subject().killHelpers(engine());
      assertThat(box.user("echo alive")).isEqualTo("alive");
      try (var other = box()) {
        assertThat(other.user("echo born")).isEqualTo("born");
      }
      kill(HostTraces.agentOf(box.cage().id().value()));
      assertThat(box.cage().exit().get(20, TimeUnit.SECONDS)).isEqualTo(CageExit.AGENT_GONE);
    }
  }

  @Test
  void cages_outlive_the_engine_and_are_adopted_by_the_next() throws Exception {
    var first = Box.of(engine().start(plan()));
    SandboxId id = first.cage().id();
    first.user("echo kept > /tmp/file; sleep 100 >/dev/null 2>&1 &");
    first.guest().close();
    subject().killHelpers(engine());
    engine().close();

    engine(subject().open(home));
    assertThat(engine().present()).containsExactly(id);
    var cage = engine().adopt(id).orElseThrow();
    var second = Box.of(cage);
    assertThat(second.user("cat /tmp/file")).isEqualTo("kept");
    assertThat(cage.usage().processes()).isGreaterThanOrEqualTo(2);
    assertThat(cage.usage().disk().orElseThrow().usedBytes()).isPositive();
    cage.pause();
    cage.resume();
    assertThat(cage.exit()).isNotDone();

    second.close();
    assertThat(cage.exit().get(5, TimeUnit.SECONDS)).isEqualTo(CageExit.DESTROYED);
    assertNothingLeft(id);
  }

  @Test
  void new_cages_never_share_ids_with_adopted_ones() throws Exception {
    var old = Box.of(engine().start(plan()));
    String oldMap = old.user("cat /proc/self/uid_map");
    old.guest().close();
    engine().close();
    engine(subject().open(home));
    try (var fresh = box();
        var adopted = Box.of(engine().adopt(old.cage().id()).orElseThrow())) {
      assertThat(fresh.user("cat /proc/self/uid_map")).isNotEqualTo(oldMap);
      assertThat(adopted.user("cat /proc/self/uid_map")).isEqualTo(oldMap);
    }
  }

  @Test
  void what_is_not_there_is_neither_adopted_nor_missed() {
    var unknown = SandboxId.random();
    assertThat(engine().adopt(unknown)).isEmpty();
    engine().remove(unknown);
  }

  @Test
  void a_cage_that_died_while_nobody_watched_is_present_but_not_adopted() throws Exception {
    var cage = engine().start(plan());
    long agent = HostTraces.agentOf(cage.id().value());
    subject().killHelpers(engine());
    engine().close();
    kill(agent);
    HostTraces.eventually("the agent ends", () -> ProcessHandle.of(agent).isEmpty());

    engine(subject().open(home));
    assertThat(engine().present()).contains(cage.id());
    assertThat(engine().adopt(cage.id())).isEmpty();
    engine().remove(cage.id());
    assertNothingLeft(cage.id());
  }

  @Test
  void many_start_at_once_with_ids_of_their_own() throws Exception {
    var cages = new ArrayList<Cage>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Cage> start = () -> engine().start(plan());
      List<Future<Cage>> starts = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        starts.add(threads.submit(start));
      }
      for (var started : starts) {
        cages.add(started.get());
      }
    }
    var maps = new HashSet<String>();
    var boxes = new ArrayList<Box>();
    for (Cage cage : cages) {
      var box = Box.of(cage);
      boxes.add(box);
      maps.add(box.user("cat /proc/self/uid_map"));
      assertThat(box.user("hostname")).isEqualTo(cage.id().value());
    }
    assertThat(maps).hasSize(AT_ONCE);
    for (Box box : boxes) {
      box.close();
      assertNothingLeft(box.cage().id());
    }
  }
}
