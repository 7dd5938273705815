package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.checkpoint.Checkpoint.Reason;
import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.model.CoveException;
import dev.cove.model.SandboxId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InsideCheckpointsTest {
  @TempDir Path folder;
  private ControlPlane control;
  private Checkpoints checkpoints;
  private InsideCheckpoints inside;
  private Sandbox box;

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
    var layers = new Layers(control.node);
    checkpoints = new Checkpoints(control.ledger, control.node, layers, control.clock());
    inside = new InsideCheckpoints(control.lifecycle, checkpoints, control.clock());
    layers.begin();
    box = control.create("box");
    allow(box, 3);
  }

  @AfterEach
  void stop() {
    control.close();
  }

  private void allow(Sandbox sandbox, int kept) {
    checkpoints.setRules(
        sandbox.id(),
        new CheckpointRules(false, OptionalInt.empty(), kept, OptionalInt.of(2), true));
  }

  private long count(Reason reason) {
    return checkpoints.of(box.id()).stream().filter(one -> one.reason() == reason).count();
  }

  @Test
  void six_are_taken_in_a_minute_and_the_newest_kept() {
    for (int i = 0; i < 6; i++) {
      inside.take(box.id(), "number " + i);
    }
    assertThatThrownBy(() -> inside.take(box.id(), "")).hasMessageContaining("6 checkpoints");
    Sandbox other = control.create("other");
    allow(other, 3);
    inside.take(other.id(), "");
    assertThat(checkpoints.of(box.id()))
        .extracting(Checkpoint::name)
        .containsExactly("number 3", "number 4", "number 5");
    control.clock.advance(Duration.ofMinutes(1));
    inside.take(box.id(), "");
  }

  @Test
  void a_clock_that_is_set_back_by_an_hour_does_not_lock_anybody_out_for_it() {
    for (int i = 0; i < 6; i++) {
      inside.take(box.id(), "number " + i);
    }
    control.clock.advance(Duration.ofHours(-1));
    inside.take(box.id(), "");
  }

  @Test
  void tries_that_fail_count_and_say_nothing_of_the_host() {
    control.node.sealsFail = true;
    for (int i = 0; i < 6; i++) {
      assertThatThrownBy(() -> inside.take(box.id(), ""))
          .isInstanceOf(CoveException.class)
          .hasMessage("The server could not take a checkpoint just now.");
    }
    assertThatThrownBy(() -> inside.take(box.id(), "")).hasMessageContaining("6 checkpoints");
  }

  @Test
  void they_push_out_none_of_the_owners() {
    for (int i = 0; i < 3; i++) {
      checkpoints.take(box.id(), box.spec(), "", Reason.SCHEDULED);
    }
    checkpoints.take(box.id(), box.spec(), "mine", Reason.ASKED);
    for (int i = 0; i < 5; i++) {
      inside.take(box.id(), "");
    }
    assertThat(count(Reason.SCHEDULED)).isEqualTo(3);
    assertThat(count(Reason.ASKED)).isEqualTo(1);
    assertThat(count(Reason.INSIDE)).isEqualTo(3);
    control.clock.advance(Duration.ofHours(3));
    checkpoints.dropByRules(box.id());
    assertThat(count(Reason.INSIDE)).isZero();
    assertThat(count(Reason.ASKED)).isEqualTo(1);
  }

  @Test
  void what_is_no_sandbox_of_an_owner_has_none() {
    assertThatThrownBy(() -> inside.take(SandboxId.random(), ""))
        .isInstanceOf(CoveException.class)
        .hasMessageContaining("No checkpoints are kept");
    checkpoints.setRules(box.id(), CheckpointRules.DEFAULT);
    assertThatThrownBy(() -> inside.take(box.id(), "")).hasMessageContaining("--from-inside on");
    assertThat(checkpoints.of(box.id())).isEmpty();
  }
}
