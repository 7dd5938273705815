package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import dev.cove.model.StopReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecoveryTest {
  @TempDir Path folder;
  private ControlPlane control;

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
  }

  @AfterEach
  void stop() {
    control.close();
  }

  @Test
  void what_still_runs_goes_on_as_it_was() {
    Sandbox sandbox = control.create("box");
    control.restart();
    assertThat(control.lifecycle.require("box")).isEqualTo(sandbox);
    assertThat(control.node.running).containsOnlyKeys(sandbox.id());
  }

  @Test
  void what_ended_while_the_server_was_down_is_stopped_and_starts_again() {
    control.create("box");
    control.node.haltAll();
    control.restart();
    assertThat(reason("box")).isEqualTo(StopReason.LOST);
    control.lifecycle.guest("box");
    assertThat(control.lifecycle.require("box").state()).isInstanceOf(SandboxState.Running.class);
  }

  @Test
  void what_has_lost_its_files_has_failed() {
    Sandbox sandbox = control.create("box");
    control.node.running.remove(sandbox.id());
    control.restart();
    assertThat(control.lifecycle.require("box").state())
        .isEqualTo(new SandboxState.Failed("its files are not there or not whole"));
  }

  @Test
  void after_a_restart_of_the_host_it_is_named_as_the_reason_once() {
    control.create("first");
    control.create("paused");
    control.lifecycle.pause("paused");
    control.node.haltAll();
    control.restart("boot-2");
    assertThat(reason("first")).isEqualTo(StopReason.HOST_RESTARTED);
    assertThat(reason("paused")).isEqualTo(StopReason.HOST_RESTARTED);

    control.create("second");
    control.node.haltAll();
    control.restart("boot-2");
    assertThat(reason("first")).isEqualTo(StopReason.HOST_RESTARTED);
    assertThat(reason("second")).isEqualTo(StopReason.LOST);
  }

  @Test
  void what_is_paused_or_stopped_stays_so() {
    Sandbox paused = control.create("paused");
    control.lifecycle.pause("paused");
    control.create("stopped");
    control.lifecycle.stop("stopped", StopReason.ASKED, Duration.ZERO);
    control.restart();
    assertThat(control.lifecycle.require("paused").state()).isInstanceOf(SandboxState.Paused.class);
    assertThat(control.node.paused).containsExactly(paused.id());
    assertThat(reason("stopped")).isEqualTo(StopReason.ASKED);
  }

  @Test
  void a_start_that_was_cut_short_never_was() {
    Sandbox sandbox = control.create("box");
    control.lifecycle.stop("box", StopReason.ASKED, Duration.ZERO);
    control.node.stopped.remove(sandbox.id());
    control.node.running.put(sandbox.id(), sandbox.spec());
    control.restart();
    assertThat(reason("box")).isEqualTo(StopReason.ASKED);
    assertThat(control.node.running).isEmpty();
    assertThat(control.node.stopped).containsExactly(sandbox.id());
  }

  private StopReason reason(String name) {
    return ((SandboxState.Stopped) control.lifecycle.require(name).state()).reason();
  }

  @Test
  void what_was_being_built_and_runs_is_kept() {
    Sandbox sandbox = control.create("box");
    write("update sandbox set state = 'starting', state_since = null");
    control.restart();
    assertThat(control.lifecycle.require("box").state()).isInstanceOf(SandboxState.Running.class);
    assertThat(control.node.running).containsOnlyKeys(sandbox.id());
  }

  @Test
  void what_was_being_built_and_does_not_run_is_forgotten_with_its_request() {
    control.lifecycle.create(ControlPlane.repeatable("key"));
    write("update sandbox set state = 'starting', state_since = null");
    control.node.running.clear();
    control.restart();
    assertThat(control.lifecycle.list(Map.of(), 10, Optional.empty()).items()).isEmpty();
    assertThat(control.lifecycle.create(ControlPlane.repeatable("key")).replayed()).isFalse();
  }

  @Test
  void what_was_being_taken_apart_is_gone() {
    control.create("box");
    write("update sandbox set state = 'deleted', state_since = null");
    control.restart();
    assertThat(control.node.running).isEmpty();
    assertThat(count("sandbox")).isZero();
  }

  @Test
  void what_the_ledger_does_not_know_does_not_go_on_running() {
    Sandbox known = control.create("box");
    control.node.running.put(SandboxId.random(), known.spec());
    control.restart();
    assertThat(control.node.running).containsOnlyKeys(known.id());
  }

  @Test
  void a_warm_sandbox_costs_one_write_and_survives_a_restart() {
    control.node.warm = true;
    Sandbox sandbox = control.create("box");
    control.restart();
    assertThat(control.lifecycle.require("box")).isEqualTo(sandbox);
  }

  @Test
  void deleting_leaves_no_row_of_env_or_labels() {
    Sandbox sandbox =
        control
            .lifecycle
            .create(
                ControlPlane.request(
                    Optional.empty(), Map.of("A", "1"), Map.of("b", "2"), Optional.empty()))
            .sandbox();
    assertThat(count("sandbox_env") + count("sandbox_label")).isEqualTo(2);
    control.lifecycle.delete(sandbox.id().value());
    control.restart();
    assertThat(count("sandbox_env") + count("sandbox_label") + count("sandbox")).isZero();
  }

  private void write(String sql) {
    control.ledger.write(session -> session.run(sql));
  }

  private int count(String table) {
    return control.ledger.read(
        session -> session.query("select count(*) from " + table, row -> row.getInt(1)).getFirst());
  }
}
