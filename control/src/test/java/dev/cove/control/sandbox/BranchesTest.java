package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.control.usage.Meters;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxState;
import dev.cove.model.boundary.TierWish;
import dev.cove.model.life.LifeRules;
import dev.cove.model.meter.BootClock;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BranchesTest {
  private static final Branches.FromCheckpoint AS_IT_WAS =
      new Branches.FromCheckpoint(
          Optional.empty(),
          TierWish.ANY,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Map.of(),
          Map.of(),
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          LifeRules.SILENT,
          List.of(),
          Optional.empty(),
          Optional.empty());

  @TempDir Path folder;
  private ControlPlane control;
  private Checkpoints checkpoints;
  private Branches branches;

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
    connect();
  }

  private void connect() {
    var layers = new Layers(control.node);
    checkpoints = new Checkpoints(control.ledger, control.node, layers, control.clock());
    branches = new Branches(control.lifecycle, checkpoints, layers, control.node);
    layers.begin();
  }

  @AfterEach
  void stop() {
    control.close();
  }

  private static void assertFails(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .asInstanceOf(type(CoveException.class))
        .extracting(CoveException::code)
        .isEqualTo(code);
  }

  @Test
  void a_checkpoint_is_as_it_was_after_a_restart_and_outlives_its_sandbox() {
    Sandbox box = control.create("box");
    Checkpoint taken = branches.checkpoint("box", "before");
    control.restart();
    connect();
    assertThat(checkpoints.list()).containsExactly(taken);
    assertThat(branches.checkpointsOf("box")).containsExactly(taken);
    control.lifecycle.delete("box");
    Sandbox child = branches.create(taken.id().value(), AS_IT_WAS).sandbox();
    assertThat(child.parent()).contains(box.id());
    assertThat(control.node.standsOn.get(child.id())).isEqualTo(taken.layers());
  }

  @Test
  void a_parent_is_known_after_a_restart() {
    Sandbox box = control.create("box");
    String point = branches.checkpoint("box", "").id().value();
    Sandbox child = branches.create(point, AS_IT_WAS).sandbox();
    control.restart();
    assertThat(control.lifecycle.require(child.id().value()).parent()).contains(box.id());
    assertThat(control.lifecycle.require("box").parent()).isEmpty();
  }

  @Test
  void layers_go_when_neither_a_checkpoint_nor_a_sandbox_needs_them() {
    control.create("box");
    Checkpoint first = branches.checkpoint("box", "");
    Checkpoint second = branches.checkpoint("box", "");
    assertThat(control.node.layers).hasSize(2);
    checkpoints.delete(first.id().value());
    checkpoints.delete(second.id().value());
    assertThat(control.node.layers).as("the sandbox stands on them").hasSize(2);
    control.lifecycle.delete("box");
    Awaitility.await().untilAsserted(() -> assertThat(control.node.layers).isEmpty());
  }

  @Test
  void a_layer_that_was_made_for_nobody_goes_at_the_next_start() {
    Sandbox box = control.create("box");
    control.node.seal(box.id());
    control.lifecycle.delete("box");
    control.restart();
    connect();
    assertThat(control.node.layers).isEmpty();
  }

  @Test
  void a_restore_keeps_the_state_before_as_a_checkpoint() {
    Sandbox box = control.create("box");
    Checkpoint first = branches.checkpoint("box", "");
    branches.checkpoint("box", "");
    var restored = branches.restore("box", first.id().value());
    assertThat(control.node.standsOn.get(box.id())).isEqualTo(first.layers());
    assertThat(restored.undo().reason()).isEqualTo(Checkpoint.Reason.BEFORE_RESTORE);
    assertThat(restored.undo().layers()).hasSize(3);
    assertThat(checkpoints.of(box.id())).hasSize(3).contains(restored.undo());
  }

  @Test
  void a_damaged_checkpoint_is_refused_before_anything_is_done() {
    Sandbox box = control.create("box");
    Checkpoint damaged = branches.checkpoint("box", "");
    Checkpoint sound = branches.checkpoint("box", "");
    control.node.damaged.addAll(damaged.layers());
    assertFails(ErrorCode.LAYER_DAMAGED, () -> branches.restore("box", damaged.id().value()));
    assertThat(checkpoints.list()).containsExactly(damaged, sound);
    assertThat(control.node.standsOn.get(box.id())).isEqualTo(sound.layers());
  }

  @Test
  void what_cannot_be_restored_is_refused_and_nothing_changes() {
    Sandbox box = control.create("box");
    assertFails(ErrorCode.NOT_FOUND, () -> branches.restore("box", "cnosuchcheckpoint123"));
    assertFails(ErrorCode.NOT_FOUND, () -> branches.restore("box", "../etc/passwd"));
    assertFails(ErrorCode.NOT_FOUND, () -> branches.restore("nobody", "c"));
    assertFails(ErrorCode.INVALID_REQUEST, () -> branches.checkpoint("box", "x".repeat(129)));
    assertFails(ErrorCode.INVALID_REQUEST, () -> branches.checkpoint("box", "a\nb"));
    assertThat(checkpoints.list()).isEmpty();
    assertThat(control.node.standsOn.get(box.id())).isEmpty();
  }

  @Test
  void a_restore_that_fails_leaves_the_sandbox_where_it_was() {
    Sandbox box = control.create("box");
    Checkpoint first = branches.checkpoint("box", "");
    control.node.startsFail = true;
    assertFails(ErrorCode.UNAVAILABLE, () -> branches.restore("box", first.id().value()));
    Checkpoint before = checkpoints.of(box.id()).getLast();
    assertThat(before.reason()).isEqualTo(Checkpoint.Reason.BEFORE_RESTORE);
    assertThat(control.node.standsOn.get(box.id())).isEqualTo(before.layers());
  }

  @Test
  void a_restore_that_the_server_did_not_live_to_end_is_taken_back() {
    Sandbox box = control.create("box");
    Checkpoint before = branches.checkpoint("box", "");
    beginRebuild(box, before);
    control.restart();
    assertThat(control.lifecycle.require("box").state()).isInstanceOf(SandboxState.Running.class);
    assertThat(control.node.standsOn.get(box.id())).isEqualTo(before.layers());

    control.node.running.clear();
    control.restart();
    assertThat(control.lifecycle.require("box").state())
        .as("it was ended, and is not built again at each later loss")
        .isInstanceOf(SandboxState.Failed.class);
  }

  @Test
  void a_restore_that_the_host_did_not_live_to_end_is_taken_back_too() {
    Sandbox box = control.create("box");
    Checkpoint before = branches.checkpoint("box", "");
    beginRebuild(box, before);
    control.restart("another boot");
    assertThat(control.lifecycle.require("box").state()).isInstanceOf(SandboxState.Running.class);
    assertThat(control.node.standsOn.get(box.id())).isEqualTo(before.layers());
  }

  /** As the ledger is when the old cage is gone and the new one not yet there. */
  private void beginRebuild(Sandbox box, Checkpoint undo) {
    new SandboxLedger(
            control.ledger,
            new Meters(control.ledger, Clock.systemUTC(), BootClock.ofHost()),
            control.node::reading,
            LifeRules.SILENT)
        .beginRebuild(box.id(), undo.id());
    control.node.running.remove(box.id());
  }

  @Test
  void children_of_a_fork_fail_one_by_one_and_leave_no_checkpoint() throws Exception {
    Sandbox box = control.create("box");
    control.node.maxSandboxes = 4;
    List<Branches.Child> children = branches.fork("box", 5);
    assertThat(children).hasSize(5);
    assertThat(children).filteredOn(Branches.Child.Made.class::isInstance).hasSize(3);
    assertThat(checkpoints.list()).isEmpty();
    assertThat(children)
        .filteredOn(Branches.Child.Made.class::isInstance)
        .allSatisfy(child ->
            assertThat(((Branches.Child.Made) child).sandbox().parent()).contains(box.id()));
  }

  @Test
  void a_fork_has_one_to_a_thousand_children() {
    control.create("box");
    assertFails(ErrorCode.INVALID_REQUEST, () -> branches.fork("box", 0));
    assertFails(ErrorCode.INVALID_REQUEST, () -> branches.fork("box", 1_001));
    assertThat(checkpoints.list()).isEmpty();
  }
}
