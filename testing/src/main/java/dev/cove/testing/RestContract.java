package dev.cove.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.engine.Cage;
import dev.cove.engine.CageExit;
import dev.cove.engine.CagePlan;
import dev.cove.engine.EngineException;
import dev.cove.engine.RootFs;
import dev.cove.model.LayerId;
import dev.cove.model.SandboxId;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Cages that end or stand still, and of which somebody wants to go on with what is there. */
abstract class RestContract extends EngineContract {
  private Box again(SandboxId id, RootFs kept) throws Exception {
    return Box.of(engine().restart(new CagePlan(id, root.over(kept.sealed()), SMALL)));
  }

  @Test
  void a_halted_sandbox_goes_on_with_its_files_and_its_names() throws Exception {
    Box first = box();
    SandboxId id = first.cage().id();
    String machine = first.user("cat /etc/machine-id");
    first.user("sleep 100 >/dev/null 2>&1 &");
    first.root("echo kept > /var/file; chown 1000 /var/file; chmod 700 /; rm /usr/bin/env");
    first.guest().close();
    first.cage().halt();
    first.cage().halt();
    assertThat(first.cage().exit().get(5, TimeUnit.SECONDS)).isEqualTo(CageExit.DESTROYED);
    assertThat(HostTraces.processesOf(id.value())).isEmpty();

    RootFs kept = engine().halt(id).orElseThrow();
    try (Box second = again(id, kept)) {
      assertThat(second.root("cat /var/file; stat -c %u /var/file; stat -c %a /"))
          .isEqualTo("kept\n1000\n700");
      assertThat(second.root("cat /etc/machine-id; hostname")).isEqualTo(machine + "\n" + id);
      assertThat(second.run("root", "ls /usr/bin/env").exit().code()).isNotZero();
    }
    assertThat(engine().present()).doesNotContain(id);
  }

  @Test
  void it_can_be_halted_and_go_on_many_times() throws Exception {
    Box box = box();
    SandboxId id = box.cage().id();
    for (int i = 0; i < 10; i++) {
      box.user("echo line >> /tmp/lines");
      box.guest().close();
      box.cage().halt();
      box = again(id, engine().halt(id).orElseThrow());
    }
    assertThat(box.user("wc -l < /tmp/lines")).isEqualTo("10");
    box.close();
  }

  @Test
  void a_halted_sandbox_is_found_by_the_next_engine() throws Exception {
    Box first = box();
    SandboxId id = first.cage().id();
    first.user("echo kept > /tmp/file");
    first.guest().close();
    first.cage().halt();
    engine().close();
    engine(subject().open(home));
    assertThat(engine().present()).contains(id);
    assertThat(engine().adopt(id)).isEmpty();
    try (Box second = again(id, engine().halt(id).orElseThrow())) {
      assertThat(second.user("cat /tmp/file")).isEqualTo("kept");
    }
  }

  @Test
  void what_was_killed_goes_on_as_well() throws Exception {
    Box first = box();
    SandboxId id = first.cage().id();
    first.user("echo kept > /tmp/file");
    first.guest().close();
    ProcessHandle.of(HostTraces.agentOf(id.value())).orElseThrow().destroyForcibly();
    first.cage().exit().get(20, TimeUnit.SECONDS);
    try (Box second = again(id, engine().halt(id).orElseThrow())) {
      assertThat(second.user("cat /tmp/file")).isEqualTo("kept");
    }
  }

  @Test
  void it_stands_on_the_layers_that_were_made_of_it() throws Exception {
    Box first = box();
    SandboxId id = first.cage().id();
    first.user("echo below > /tmp/below");
    first.cage().seal(LayerId.random(), true);
    first.user("echo above > /tmp/above");
    first.guest().close();
    first.cage().halt();
    RootFs kept = engine().halt(id).orElseThrow();
    assertThat(kept.sealed()).hasSize(1);
    try (Box second = again(id, kept)) {
      assertThat(second.user("cat /tmp/below /tmp/above")).isEqualTo("below\nabove");
    }
  }

  @Test
  void a_paused_sandbox_is_sealed_without_a_moment_of_running() throws Exception {
    try (Box box = box()) {
      box.user("(while :; do :; done) >/dev/null 2>&1 &");
      box.cage().pause();
      var cpu = box.cage().cpu();
      box.cage().seal(LayerId.random(), false);
      Thread.sleep(200); // the time in which a busy loop would show
      assertThat(box.cage().cpu()).isEqualTo(cpu);
      box.cage().resume();
      assertThat(box.user("echo answers")).isEqualTo("answers");
    }
  }

  @Test
  void a_paused_sandbox_is_adopted_standing_still() throws Exception {
    Box first = box();
    SandboxId id = first.cage().id();
    first.user("(while :; do :; done) >/dev/null 2>&1 &");
    first.cage().pause();
    var cpu = first.cage().cpu();
    first.guest().close();
    engine().close();

    engine(subject().open(home));
    Cage cage = engine().adoptPaused(id).orElseThrow();
    Thread.sleep(200);
    assertThat(cage.cpu()).isEqualTo(cpu);
    cage.resume();
    try (Box second = Box.of(cage)) {
      assertThat(second.user("echo answers")).isEqualTo("answers");
    }
  }

  @Test
  void processes_are_asked_to_end_and_the_agent_is_not() throws Exception {
    try (Box box = box()) {
      String waits = "trap 'echo ended > /tmp/said; exit' TERM; while :; do sleep 0.1; done";
      box.user("(" + waits + ") >/dev/null 2>&1 & sleep 0.3");
      box.user("setsid sleep 100 >/dev/null 2>&1 &");
      assertThat(box.cage().alone()).isFalse();
      box.cage().terminate();
      HostTraces.eventually("all have ended", () -> box.cage().alone());
      assertThat(box.user("cat /tmp/said")).isEqualTo("ended");
    }
  }

  @Test
  void what_has_left_nothing_cannot_go_on() throws Exception {
    var unknown = SandboxId.random();
    assertThat(engine().halt(unknown)).isEmpty();
    assertThatThrownBy(() -> engine().restart(new CagePlan(unknown, root, SMALL)))
        .isInstanceOf(EngineException.class);
    try (Box box = box()) {
      assertThatThrownBy(() -> engine().restart(new CagePlan(box.cage().id(), root, SMALL)))
          .isInstanceOf(EngineException.class);
      assertThat(box.user("echo alive")).isEqualTo("alive");
    }
  }
}
