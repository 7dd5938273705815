package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoint.Reason;
import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.model.CoveException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AutomaticCheckpointsTest {
  @TempDir Path folder;
  private ControlPlane control;
  private Checkpoints checkpoints;
  private AutomaticCheckpoints automatic;
  private Sandbox box;

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
    connect();
    box = control.create("box");
  }

  private void connect() {
    var layers = new Layers(control.node);
    checkpoints = new Checkpoints(control.ledger, control.node, layers, control.clock());
    automatic = new AutomaticCheckpoints(control.lifecycle, checkpoints, control.clock());
    layers.begin();
  }

  @AfterEach
  void stop() {
    automatic.close();
    control.close();
  }

  private static CheckpointRules every(int minutes) {
    return new CheckpointRules(false, OptionalInt.of(minutes), 3, OptionalInt.empty(), false);
  }

  private List<Reason> reasons() {
    return checkpoints.of(box.id()).stream().map(Checkpoint::reason).toList();
  }

  private void after(Duration time) {
    control.clock.advance(time);
    automatic.look();
  }

  @Test
  void one_is_taken_whenever_it_is_due_and_something_has_changed() {
    automatic.change("box", every(10));
    after(Duration.ofMinutes(9));
    assertThat(reasons()).isEmpty();
    after(Duration.ofMinutes(1));
    assertThat(reasons()).containsExactly(Reason.SCHEDULED);
    after(Duration.ofMinutes(30));
    assertThat(reasons()).containsExactly(Reason.SCHEDULED);
    control.node.calls.incrementAndGet();
    after(Duration.ofMinutes(10));
    assertThat(reasons()).containsExactly(Reason.SCHEDULED, Reason.SCHEDULED);
    control.node.calls.set(-1);
    after(Duration.ofMinutes(10));
    after(Duration.ofMinutes(10));
    assertThat(checkpoints.of(box.id())).hasSize(3);
  }

  @Test
  void a_clock_that_is_set_back_or_forth_by_an_hour_puts_none_off_and_takes_no_more_than_one() {
    automatic.change("box", every(10));
    control.node.calls.set(-1); // something always may have changed
    after(Duration.ofMinutes(10));
    after(Duration.ofMinutes(10));
    assertThat(reasons()).hasSize(2);
    after(Duration.ofHours(-1));
    after(Duration.ofMinutes(1));
    assertThat(reasons()).as("at once, and only once").hasSize(3);
    automatic.change(
        "box", new CheckpointRules(false, OptionalInt.of(10), 9, OptionalInt.empty(), false));
    after(Duration.ofMinutes(10));
    assertThat(reasons()).hasSize(4);
    after(Duration.ofHours(1));
    after(Duration.ofMinutes(1));
    assertThat(reasons()).hasSize(5);
  }

  @Test
  void one_that_fails_is_counted_and_due_again_later() {
    automatic.change("box", every(10));
    control.node.sealsFail = true;
    after(Duration.ofMinutes(10));
    after(Duration.ofMinutes(1));
    assertThat(automatic.failures()).isEqualTo(1);
    control.node.sealsFail = false;
    after(Duration.ofMinutes(9));
    assertThat(reasons()).containsExactly(Reason.SCHEDULED);
  }

  @Test
  void those_that_nobody_asked_for_go_when_they_are_too_old() {
    automatic.change(
        "box", new CheckpointRules(true, OptionalInt.empty(), 20, OptionalInt.of(2), false));
    checkpoints.take(box.id(), box.spec(), "mine", Reason.ASKED);
    control.node.calls.incrementAndGet();
    automatic.beforeCommand(box, List.of("true"));
    after(Duration.ofHours(1));
    assertThat(reasons()).containsExactly(Reason.ASKED, Reason.BEFORE_EXEC);
    after(Duration.ofHours(1));
    assertThat(reasons()).containsExactly(Reason.ASKED);
  }

  @Test
  void a_command_is_refused_when_its_checkpoint_fails() {
    automatic.beforeCommand(box, List.of("true"));
    assertThat(reasons()).isEmpty();
    automatic.change(
        "box", new CheckpointRules(true, OptionalInt.empty(), 20, OptionalInt.empty(), false));
    control.node.sealsFail = true;
    assertThatThrownBy(() -> automatic.beforeCommand(box, List.of("true")))
        .isInstanceOf(CoveException.class)
        .hasMessageContaining("not started");
    assertThat(automatic.failures()).isEqualTo(1);
  }

  @Test
  void after_a_restore_nothing_is_taken_for_unchanged() {
    var branches =
        new Branches(control.lifecycle, checkpoints, new Layers(control.node), control.node);
    Checkpoint kept = branches.checkpoint("box", "");
    assertThat(checkpoints.mayHaveChanged(box.id())).isFalse();
    branches.restore("box", kept.id().value());
    assertThat(checkpoints.mayHaveChanged(box.id())).isTrue();
  }

  @Test
  void rules_survive_a_restart_and_go_with_the_sandbox() {
    automatic.change("box", every(10));
    control.restart();
    connect();
    assertThat(automatic.rules("box")).isEqualTo(every(10));
    control.lifecycle.delete("box");
    automatic.look();
    assertThat(checkpoints.allRules()).isEmpty();
    control.restart();
    connect();
    assertThat(checkpoints.allRules()).isEmpty();
  }
}
